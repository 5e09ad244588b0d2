// Package structure tests the structure of the whole module: imports, sizes, words, documents and
// extension points. It contains only tests. docs/dev/structure.md describes the rule that each test
// enforces, and how to repair a failure.
package structure
