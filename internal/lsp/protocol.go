package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxPlaces is the greatest number of places of an answer that are kept.
const maxPlaces = 5000

// position is a position in a text. Line and character count from 0. Characters are bytes or UTF-16
// units, as negotiated with the server.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

// locations decodes a result that is null, one location or a list.
type locations []location

// UnmarshalJSON implements json.Unmarshaler.
func (l *locations) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("[")) {
		return json.Unmarshal(data, (*[]location)(l))
	}
	*l = make(locations, 1)
	return json.Unmarshal(data, &(*l)[0])
}

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

// workspaceEdit contains its edits in one of two forms.
type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes"`
	DocumentChanges []struct {
		Kind         string `json:"kind"`
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
		Edits []textEdit `json:"edits"`
	} `json:"documentChanges"`
}

// incomingCall describes a function and its calls of another function.
type incomingCall struct {
	From struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
	} `json:"from"`
	FromRanges []span `json:"fromRanges"`
}

// A Location is a range of a file that a server returned.
type Location struct {
	// Path is the absolute path of the file. It can be outside the workspace.
	Path string
	// Within is the name of the enclosing function, "" if the answer has none.
	Within string

	at    span
	bytes bool
}

// Line returns the number of the first line, from 1.
func (p Location) Line() int { return p.at.Start.Line + 1 }

// Offsets returns the range as offsets in the content of the file. ok is false if the content does
// not contain the range.
func (p Location) Offsets(content []byte) (start, end int, ok bool) {
	start, ok = offset(content, p.at.Start, p.bytes)
	if !ok {
		return 0, 0, false
	}
	end, ok = offset(content, p.at.End, p.bytes)
	return start, end, ok && start <= end
}

// An Edit replaces the text at a place.
type Edit struct {
	Location
	New string
}

// offset returns the offset of a position in a text. The line after the last one is the end of the
// text.
func offset(content []byte, at position, inBytes bool) (int, bool) {
	begin := 0
	for range at.Line {
		next := bytes.IndexByte(content[begin:], '\n')
		if next < 0 {
			return 0, false
		}
		begin += next + 1
	}
	line := content[begin:]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = bytes.TrimSuffix(line[:end], []byte("\r"))
	}
	if at.Line < 0 || at.Character < 0 {
		return 0, false
	}
	if inBytes {
		return begin + at.Character, at.Character <= len(line) && (at.Character == len(line) || utf8.RuneStart(line[at.Character]))
	}
	units, i := 0, 0
	for i < len(line) && units < at.Character {
		r, size := utf8.DecodeRune(line[i:])
		units += utf16.RuneLen(r)
		i += size
	}
	return begin + i, units == at.Character
}

// positionOf returns the position of an offset in a text.
func positionOf(content []byte, at int, inBytes bool) position {
	begin := bytes.LastIndexByte(content[:at], '\n') + 1
	p := position{Line: bytes.Count(content[:begin], []byte("\n")), Character: at - begin}
	if !inBytes {
		p.Character = 0
		for _, r := range string(content[begin:at]) {
			p.Character += utf16.RuneLen(r)
		}
	}
	return p
}

func uriOf(path string) string {
	slashes := filepath.ToSlash(path)
	if !strings.HasPrefix(slashes, "/") {
		slashes = "/" + slashes // a Windows drive
	}
	return (&url.URL{Scheme: "file", Path: slashes}).String()
}

// pathOf returns the path of a URI, or "" if the URI is not a file on this machine.
func pathOf(uri string) string {
	parsed, err := url.Parse(uri)
	if err != nil || parsed.Scheme != "file" || parsed.Host != "" && parsed.Host != "localhost" || strings.ContainsRune(parsed.Path, 0) {
		return ""
	}
	path := parsed.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.Clean(filepath.FromSlash(path))
}

// edits returns the edits of a rename.
func (edit workspaceEdit) edits(inBytes bool) (edits []Edit, err error) {
	add := func(uri string, list []textEdit) {
		path := pathOf(uri)
		if path == "" {
			err = fmt.Errorf("the rename would change %.100q, not a local file", uri)
		}
		for _, e := range list {
			edits = append(edits, Edit{Location{Path: path, at: e.Range, bytes: inBytes}, e.NewText})
		}
	}
	for _, change := range edit.DocumentChanges {
		if change.Kind != "" {
			return nil, fmt.Errorf("the rename would also %.20s files, which is not supported", change.Kind)
		}
		add(change.TextDocument.URI, change.Edits)
	}
	if len(edit.DocumentChanges) == 0 { // the other form is for clients that do not support this one
		for uri, list := range edit.Changes {
			add(uri, list)
		}
	}
	if len(edits) > maxPlaces {
		err = fmt.Errorf("the rename would change more than %d places", maxPlaces)
	}
	return edits, err
}

// markup returns the text of a hover in each of its forms.
func markup(contents any) string {
	switch c := contents.(type) {
	case string:
		return c
	case map[string]any:
		return markup(c["value"])
	case []any:
		var parts []string
		for _, one := range c {
			parts = append(parts, markup(one))
		}
		return strings.Join(parts, "\n")
	}
	return ""
}
