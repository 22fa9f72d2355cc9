// Command docket keeps a person's documents, and the decisions taken on them, in one file, and serves them to agents.
package main

import (
	"os"

	"docket/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
