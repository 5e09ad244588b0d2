//go:build e2e || bench || chaos

package main

// binary is the program that "make build" writes.
const binary = "../../bin/agent"
