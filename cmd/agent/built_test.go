//go:build e2e || bench

package main

// binary is what make build leaves.
const binary = "../../bin/agent"
