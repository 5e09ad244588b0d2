package compression

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"agent/internal/compression/cacheaware"
	"agent/internal/history"
	"agent/internal/toolspec"
)

// extent limits how much of a call's arguments is kept.
type extent struct {
	// text is the length of the longest text that is kept whole. Of a longer text, the beginning (head)
	// and the end (tail) are kept. All lengths are in bytes.
	text, head, tail int
	// items is the number of items that are kept of a list.
	items int
}

var (
	// brief keeps enough to show the purpose of a call.
	brief = extent{text: 1000, head: 400, tail: 200, items: 24}
	// least keeps only enough to identify the call.
	least = extent{text: 140, head: 40, tail: 20, items: 3}
)

// maxPath is the length of the longest path that is never shortened, in bytes.
const maxPath = 4096

// shortCall returns a call with its long texts and lists shortened, with notes that contain the outcome
// of the call. It returns the call itself if the result would not be shorter. Every parameter keeps its
// name and type. The path of a file is kept whole.
func shortCall(call *history.ToolCall, fate string, e extent) *history.ToolCall {
	if len(call.Parameters) <= e.text {
		return call
	}
	var out bytes.Buffer
	s := shortener{
		in:     jsontext.NewDecoder(bytes.NewReader(call.Parameters), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		out:    jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		extent: e,
		fate:   fate,
	}
	err := s.value()
	parameters := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	if err != nil || len(parameters) >= len(call.Parameters) {
		return call
	}
	return call.WithParameters(json.RawMessage(parameters))
}

// A shortener copies the parameters of a call in shorter form.
type shortener struct {
	in  *jsontext.Decoder
	out *jsontext.Encoder
	extent
	fate string
}

// value copies the next JSON value of the input.
func (s *shortener) value() error {
	for {
		if err := s.skipItems(); err != nil {
			return err
		}
		token, err := s.in.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if token.Kind() == '"' && !s.keeps(token.String()) {
			token = jsontext.String(s.text(token.String()))
		}
		if err := s.out.WriteToken(token); err != nil {
			return err
		}
	}
}

// keeps reports whether the string just read is kept unchanged, because it is short, a name, or the
// path of a file.
func (s *shortener) keeps(text string) bool {
	if len(text) <= s.extent.text {
		return true
	}
	depth := s.in.StackDepth()
	kind, length := s.in.StackIndex(depth)
	isName := kind == '{' && length%2 == 1
	isPath := depth == 1 && len(text) <= maxPath && slices.Contains(toolspec.FileNames, s.in.StackPointer().LastToken())
	return isName || isPath
}

// skipItems omits the items of a list after the first few. In a list of texts, a note replaces them.
func (s *shortener) skipItems() error {
	kind, length := s.in.StackIndex(s.in.StackDepth())
	if kind != '[' || length < int64(s.items) {
		return nil
	}
	texts, skipped := s.in.PeekKind() == '"', 0
	for s.in.PeekKind() != ']' {
		if err := s.in.SkipValue(); err != nil {
			return err
		}
		skipped++
	}
	if skipped == 0 || !texts {
		return nil
	}
	return s.out.WriteToken(jsontext.String(fmt.Sprintf("[… %d items%s%s …]", skipped, cacheaware.LeftOut, s.fate)))
}

// text returns the beginning and the end of a long text, with a note between them.
func (s *shortener) text(text string) string {
	head := strings.ToValidUTF8(text[:s.head], "")
	tail := strings.ToValidUTF8(text[len(text)-s.tail:], "")
	left := len(text) - len(head) - len(tail) + cacheaware.OmittedBytes(text[len(head):len(text)-len(tail)])
	return fmt.Sprintf("%s\n[… %d bytes%s%s …]\n%s", head, left, cacheaware.LeftOut, s.fate, tail)
}

// outcomes returns the outcome of each call of a history as a single word.
func (g groups) outcomes(entries []*history.Content) map[*history.ToolCall]string {
	fates := make(map[*history.ToolCall]string, len(g.pairing.Pairs))
	for _, pair := range g.pairing.Pairs {
		fates[pair.Call] = "not answered"
		for _, at := range pair.Responses {
			if response, ok := entries[at.Entry].Blocks[at.Block].(*history.ToolResponse); ok {
				fates[pair.Call] = outcome(response)
			}
		}
	}
	return fates
}
