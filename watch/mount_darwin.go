package watch

// This file says how macOS reports changes: by one open descriptor a file, which no large folder can afford.

func unwatchable(string) string { return "macOS reports changes only to who holds every file open" }
