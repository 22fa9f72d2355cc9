package p

const nul = "ab" // a NUL in a string
