// Package mcptest is a server for tests that does what real ones do wrong. It is the test's
// own program, started again: TestMain calls Main first.
package mcptest
