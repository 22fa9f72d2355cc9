package db

// This file stands in for what Windows tells in other ways: a store lies in the user's own profile, which others cannot read.

import "os"

func othersMay(os.FileInfo) string { return "" }

func links(os.FileInfo) uint64 { return 1 }
