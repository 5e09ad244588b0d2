// Package gfm parses the Markdown that models write: GitHub Flavored Markdown, which is CommonMark
// with tables, strikethrough and task lists.
package gfm

import (
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
)

// NewParser returns a parser.
func NewParser() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser()
}
