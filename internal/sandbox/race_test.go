//go:build race

package sandbox_test

// raced says that the race detector runs, with which starting the helper takes long.
const raced = true
