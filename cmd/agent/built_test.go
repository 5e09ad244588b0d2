//go:build e2e || bench || chaos

package main

// binary is what make build leaves.
const binary = "../../bin/agent"
