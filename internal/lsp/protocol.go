package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
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

// location is a Location or a LocationLink.
type location struct {
	URI                  string `json:"uri"`
	Range                span   `json:"range"`
	TargetURI            string `json:"targetUri"`
	TargetSelectionRange span   `json:"targetSelectionRange"`
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

// callItem is a function in a call hierarchy. It is sent back to the server unchanged.
type callItem struct {
	Name string `json:"name"`
	URI  string `json:"uri"`
}

type incomingCall struct {
	From       callItem `json:"from"`
	FromRanges []span   `json:"fromRanges"`
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

// Offsets returns the range as offsets in the content of the file. ok is false if the content does not
// contain the range.
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
		units += units16(r)
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
			p.Character += units16(r)
		}
	}
	return p
}

// units16 returns the number of UTF-16 units of a character.
func units16(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
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

// isNull reports whether a result is missing or null.
func isNull(result json.RawMessage) bool {
	return len(result) == 0 || string(bytes.TrimSpace(result)) == "null"
}

// placesOf decodes locations: null, one, or a list. total is the number of all locations.
func placesOf(result json.RawMessage, inBytes bool) (places []Location, total int, err error) {
	if isNull(result) {
		return nil, 0, nil
	}
	var list []location
	if result = bytes.TrimSpace(result); result[0] == '[' {
		err = json.Unmarshal(result, &list)
	} else {
		list = make([]location, 1)
		err = json.Unmarshal(result, &list[0])
	}
	if err != nil {
		return nil, 0, badAnswer(err)
	}
	seen := map[Location]bool{}
	for _, l := range list {
		if l.TargetURI != "" {
			l.URI, l.Range = l.TargetURI, l.TargetSelectionRange
		}
		p := Location{Path: pathOf(l.URI), at: l.Range, bytes: inBytes}
		if p.Path == "" || seen[p] {
			continue
		}
		if total++; len(places) < maxPlaces {
			seen[p] = true
			places = append(places, p)
		}
	}
	return places, total, nil
}

// editsOf decodes the edits of a rename, by file.
func editsOf(result json.RawMessage, inBytes bool) (map[string][]Edit, error) {
	var edit workspaceEdit
	if isNull(result) {
		return nil, nil
	}
	if err := json.Unmarshal(result, &edit); err != nil {
		return nil, badAnswer(err)
	}
	all := edit.Changes
	if len(edit.DocumentChanges) > 0 { // the other form is for clients that do not support this one
		all = map[string][]textEdit{}
		for _, change := range edit.DocumentChanges {
			if change.Kind != "" {
				return nil, fmt.Errorf("the rename would also %.20s files, which is not supported", change.Kind)
			}
			all[change.TextDocument.URI] = append(all[change.TextDocument.URI], change.Edits...)
		}
	}
	edits, count := map[string][]Edit{}, 0
	for uri, list := range all {
		path := pathOf(uri)
		if path == "" {
			return nil, fmt.Errorf("the rename would change %.100q, not a local file", uri)
		}
		for _, e := range list {
			edits[path] = append(edits[path], Edit{Location{Path: path, at: e.Range, bytes: inBytes}, e.NewText})
		}
		if count += len(list); count > maxPlaces {
			return nil, fmt.Errorf("the rename would change more than %d places", maxPlaces)
		}
	}
	return edits, nil
}

// hoverOf decodes the text of a hover in each of its forms.
func hoverOf(result json.RawMessage) (string, error) {
	var hover struct {
		Contents json.RawMessage `json:"contents"`
	}
	if isNull(result) {
		return "", nil
	}
	if err := json.Unmarshal(result, &hover); err != nil {
		return "", badAnswer(err)
	}
	return strings.TrimSpace(markup(hover.Contents)), nil
}

func markup(contents json.RawMessage) string {
	var plain string
	if json.Unmarshal(contents, &plain) == nil {
		return plain
	}
	var marked struct {
		Value string `json:"value"`
	}
	if json.Unmarshal(contents, &marked) == nil {
		return marked.Value
	}
	var list []json.RawMessage
	_ = json.Unmarshal(contents, &list) // for any other value the list stays empty
	var parts []string
	for _, one := range list {
		if bytes.HasPrefix(bytes.TrimSpace(one), []byte("[")) {
			continue // a list inside a list is not allowed
		}
		parts = append(parts, markup(one))
	}
	return strings.Join(parts, "\n")
}

func badAnswer(err error) error {
	return errors.Join(errors.New("can't read its answer"), err)
}
