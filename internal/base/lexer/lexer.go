// Package lexer finds the lexer of a programming language and reads it on demand. Chroma's own
// collection reads some three hundred lexers whenever a program starts. This package stores them in
// an archive, which TestArchive makes from that collection, with an index of names and file names.
//
// Chroma implements some lexers in Go. The archive contains those that can be expressed as data,
// with some loss: Go's raw strings become strings, and a few rare languages (Haxe, HTTP, Raku) are
// missing.
package lexer

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

//go:embed lexers.zip
var archive []byte

const indexFile = "index.json"

// entry describes a lexer in the index.
type entry struct {
	File    string   `json:"file"`
	Name    string   `json:"name"`
	Aliases []string `json:"aliases,omitempty"`
	// Files are patterns of file names. OtherFiles are used if no lexer's Files match.
	Files      []string `json:"files,omitempty"`
	OtherFiles []string `json:"otherFiles,omitempty"`
	Priority   float32  `json:"priority,omitempty"`
	// Over is the lexer of the enclosing language, such as HTML.
	Over string `json:"over,omitempty"`
	// Uses lists the lexers of embedded languages.
	Uses []string `json:"uses,omitempty"`
}

// collection is the archive and the lexers read from it so far.
type collection struct {
	files   *zip.Reader
	entries []entry

	mu   sync.Mutex
	read map[string]chroma.Lexer
}

var collected = sync.OnceValue(func() *collection {
	c := &collection{read: map[string]chroma.Lexer{}}
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic("lexer: embedded archive: " + err.Error())
	}
	c.files = files
	index, err := files.Open(indexFile)
	if err == nil {
		err = json.NewDecoder(index).Decode(&c.entries)
	}
	if err != nil {
		panic("lexer: embedded archive: " + err.Error())
	}
	return c
})

// ByName returns the lexer of a language by its name, an alias or a file name extension, ignoring
// case. It returns nil if there is none.
func ByName(word string) chroma.Lexer {
	c := collected()
	named := func(e entry) bool {
		return strings.EqualFold(e.Name, word) || slices.ContainsFunc(e.Aliases, func(a string) bool { return strings.EqualFold(a, word) })
	}
	if i := slices.IndexFunc(c.entries, named); i >= 0 {
		return c.lexer(c.entries[i])
	}
	if lexer := ForFile("file." + word); lexer != nil {
		return lexer
	}
	return ForFile(word)
}

// ForFile returns the lexer for a file name, or nil if there is none.
func ForFile(name string) chroma.Lexer {
	c := collected()
	name = filepath.Base(name)
	for _, patterns := range []func(entry) []string{
		func(e entry) []string { return e.Files },
		func(e entry) []string { return e.OtherFiles },
	} {
		if e := c.best(name, patterns); e != nil {
			return c.lexer(*e)
		}
	}
	return nil
}

// best returns the entry with the highest priority that has a pattern matching name. If several
// entries have that priority, it returns the first.
func (c *collection) best(name string, patterns func(entry) []string) *entry {
	var best *entry
	for i := range c.entries {
		e := &c.entries[i]
		matches := func(pattern string) bool {
			ok, err := filepath.Match(pattern, name)
			return ok && err == nil
		}
		if slices.ContainsFunc(patterns(*e), matches) && (best == nil || e.Priority > best.Priority) {
			best = e
		}
	}
	return best
}

// lexer reads a lexer and the lexers that it refers to. Each result has a separate registry, which
// later reads do not change.
func (c *collection) lexer(e entry) chroma.Lexer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if lexer, ok := c.read[e.Name]; ok {
		return lexer
	}
	registry := chroma.NewLexerRegistry()
	c.register(registry, e)
	lexer := registry.Get(e.Name)
	c.read[e.Name] = lexer
	return lexer
}

// register adds a lexer and the lexers that it refers to to a registry.
func (c *collection) register(registry *chroma.LexerRegistry, e entry) {
	lexer, err := chroma.NewXMLLexer(c.files, e.File)
	if err != nil {
		panic("lexer: embedded archive: " + err.Error())
	}
	registry.Register(lexer)
	for _, name := range append(slices.Clone(e.Uses), e.Over) {
		i := slices.IndexFunc(c.entries, func(other entry) bool { return other.Name == name })
		if i >= 0 && !slices.ContainsFunc(registry.Lexers, func(l chroma.Lexer) bool { return l.Config().Name == name }) {
			c.register(registry, c.entries[i])
		}
	}
	if e.Over != "" {
		registry.Register(&over{chroma.DelegatingLexer(registry.Get(e.Over), lexer), lexer.Config()})
	}
}

// over is a language embedded in another one, under its own name.
type over struct {
	chroma.Lexer
	config *chroma.Config
}

// Config implements chroma.Lexer.
func (o *over) Config() *chroma.Config { return o.config }
