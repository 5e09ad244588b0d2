// Package docs holds the documentation that the program shows.
package docs

import "embed"

// Files holds the pages for users. Pages for contributors are not part of the program.
//
//go:embed README.md getting-started.md install.md demo.md compare.md how-to/*.md concepts/*.md reference/*.md
var Files embed.FS
