// Package structure tests the shape of the whole module: imports, sizes, words, documents and the
// places where a newcomer adds something. It has no code of its own. docs/dev/structure.md says what
// each test protects, and what to do when it fails.
package structure
