// Package structure tests the shape of the whole module: imports, sizes, words, documents and the
// places where a newcomer adds something. It has no code of its own. docs/dev/structure.md names the
// rule that each test protects, and the repair when it fails.
package structure
