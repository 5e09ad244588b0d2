package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/history"
	"agent/internal/text/notebook"
	"agent/internal/text/textdiff"
	"agent/internal/text/textfile"
	"agent/internal/workspace"
)

// maxWholeBytes is the size of the largest file that is read into memory. Larger files are read
// line by line and cannot be edited.
const maxWholeBytes = 16 << 20

// sniffBytes is the size of the part of a file that is examined to distinguish text from binary.
const sniffBytes = 8 << 10

// A source is a text file opened for the model. It must be closed.
type source struct {
	// abs is the path that Resolve returned. rel is the path for messages.
	abs, rel string
	size     int64
	// links is the number of hard links of the file.
	links uint64
	mode  fs.FileMode
	// whole is the content, nil if the file is larger than maxWholeBytes.
	whole []byte
	// cells is the notebook in the file, nil if the file is not a notebook.
	cells *notebook.Notebook
	file  *os.File
}

// open opens a text file and reads it unless it is huge. For any other file it returns an error
// with the kind of the file and the way to continue.
func (e *Env) open(ctx context.Context, path string) (*source, error) {
	abs, err := e.Workspace.ResolveRead(path)
	if err != nil {
		return nil, err
	}
	if !e.mayRead(abs) {
		return nil, fmt.Errorf("%s may hold secrets; to read it, name the file in a call, which requires approval", e.Workspace.Rel(abs))
	}
	return e.openResolved(ctx, abs)
}

// openResolved opens a file by the path that Resolve returned, even if it is a secret file.
func (e *Env) openResolved(ctx context.Context, abs string) (*source, error) {
	s := &source{abs: abs, rel: e.Workspace.Rel(abs)}
	var err error
	s.file, err = e.Workspace.Open(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &workspace.MissingError{Path: s.rel, Nearest: e.Workspace.SimilarPaths(ctx, abs)}
	case err != nil:
		return nil, fmt.Errorf("can't read %s: %w", s.rel, fsutil.Reason(err))
	}
	if err := s.load(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *source) load() error {
	info, err := s.file.Stat()
	if err != nil {
		return fmt.Errorf("can't read %s: %w", s.rel, fsutil.Reason(err))
	}
	if info.IsDir() {
		return fmt.Errorf("%s is a folder; list it with glob or ls", s.rel)
	}
	s.size, s.links, s.mode = info.Size(), fsutil.Links(info), info.Mode()
	head, err := io.ReadAll(io.LimitReader(s.file, sniffBytes))
	if err != nil {
		return fmt.Errorf("can't read %s: %w", s.rel, fsutil.Reason(err))
	}
	if kind := binaryKind(head); kind != "" {
		return &BinaryError{Path: s.rel, Kind: kind, Size: s.size}
	}
	if s.size > maxWholeBytes && !textfile.IsUTF16(head) {
		return nil
	}
	// One more byte than the limit shows that the file has just grown.
	rest, err := io.ReadAll(io.LimitReader(s.file, maxWholeBytes+1-int64(len(head))))
	if err != nil {
		return fmt.Errorf("can't read %s: %w", s.rel, fsutil.Reason(err))
	}
	whole := append(head, rest...)
	if count, _ := textfile.CountInvalidUTF8(whole); textfile.IsUTF16(head) && (count > 0 || len(whole) > maxWholeBytes) {
		return &BinaryError{Path: s.rel, Kind: damaged16, Size: s.size}
	}
	if len(whole) <= maxWholeBytes {
		s.whole, s.cells = whole, cellsOf(s.abs, whole)
	}
	return nil
}

// cellsOf returns the notebook in a file, nil if the file is not a notebook.
func cellsOf(path string, content []byte) *notebook.Notebook {
	if filepath.Ext(path) != ".ipynb" {
		return nil
	}
	cells, err := notebook.Parse(content)
	if err != nil {
		return nil // it is edited as plain text
	}
	return cells
}

// document returns the text of a file in the form that the model edits. For a notebook, this is the
// text of its cells.
func document(path string, content []byte) textfile.Document {
	if cells := cellsOf(path, content); cells != nil {
		content = []byte(cells.Text())
	}
	return textfile.Parse(content)
}

// document returns the text of the file, which must be in memory.
func (s *source) document() textfile.Document { return document(s.abs, s.whole) }

// onDisk returns the content of the file after its document was replaced by an edited one.
func (s *source) onDisk(edited []byte) ([]byte, error) {
	if s.cells == nil {
		return edited, nil
	}
	if _, err := notebook.Parse(edited); err == nil { // the edited text is a complete notebook file
		return edited, nil
	}
	after, err := s.cells.Encode(string(edited))
	if err != nil {
		return nil, fmt.Errorf("%s: %w; nothing was written", s.rel, err)
	}
	return after, nil
}

// asCells is a note that explains to the model how to edit a notebook.
const asCells = `[a notebook, shown as cells. Edit it like a text file: a line such as "%% cell code" begins a new cell. Outputs can't be edited]`

// note returns a remark for the model about the rest of the file, which the answer does not show.
func (s *source) note(shown string) string {
	if s.cells != nil {
		return asCells
	}
	return s.foreignNote(shown)
}

func (s *source) reader() (io.Reader, error) {
	if s.whole != nil {
		return strings.NewReader(s.document().Text), nil
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return s.file, err
}

// Close closes the file.
func (s *source) Close() { s.file.Close() }

// damaged16 is the kind of a file that begins like UTF-16 but is not valid text.
const damaged16 = "UTF-16 text"

// binaryKind returns the kind of a binary file by its first bytes, "" for text. A file with only
// readable text is text whatever its first letters are: "BM" alone does not mean a picture.
func binaryKind(head []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(head), ";")
	foreign, _ := textfile.CountInvalidUTF8(head)
	switch {
	case textfile.IsUTF16(head):
		return "" // the whole content is in the answer
	case kind == history.PDF:
		return kind
	case bytes.IndexByte(head, 0) < 0 && 10*foreign <= 3*len(head): // text in an old 8-bit encoding has fewer
		return ""
	case strings.HasPrefix(kind, "text/"), kind == "application/octet-stream":
		return "binary data"
	}
	return kind
}

// A BinaryError is returned for a file that is not text.
type BinaryError struct {
	Path string
	// Kind is the media type, e.g. "image/png", or a description.
	Kind string
	// Size is in bytes.
	Size int64
}

func (e *BinaryError) Error() string {
	advice := "it is not a text file"
	switch {
	case strings.HasPrefix(e.Kind, "image/"):
		advice = "it is an image; the user can attach it with @"
	case e.Kind == damaged16:
		advice = "it is too large or not valid UTF-16; convert it to UTF-8 with iconv in the shell"
	}
	return fmt.Sprintf("%s is binary (%s, %s): %s", e.Path, e.Kind, humanize.Bytes(e.Size), advice)
}

// replacement replaces bytes that are not UTF-8 in the text for the model.
const replacement = "\uFFFD"

// foreignNote returns a note for the model that a file contains bytes that are not UTF-8, or "" if none
// are known. shown is the part of the file in the answer to the model.
func (s *source) foreignNote(shown string) string {
	if s.whole == nil && strings.Contains(shown, replacement) {
		return fmt.Sprintf("[%s may contain bytes that are not UTF-8; they appear as %s]", s.rel, replacement)
	}
	count, line := textfile.CountInvalidUTF8(s.whole)
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("[%s is not UTF-8 text: %s, the first in line %d, are shown as %s. replace preserves them outside of old_string. write_file would destroy them and is refused]",
		s.rel, humanize.Count(count, "byte"), line, replacement)
}

// refuseForeign returns an error if an edit would destroy bytes of a file that are not UTF-8. The
// model saw U+FFFD instead of these bytes and cannot write them.
func refuseForeign(s *source, after []byte, whole bool) error {
	count, line := textfile.CountInvalidUTF8(s.whole)
	if count == 0 || !whole && bytes.Count(after, []byte(replacement)) <= bytes.Count(s.whole, []byte(replacement)) {
		return nil
	}
	what := "the new text contains " + replacement + " in their place"
	if whole {
		what = "new content would destroy them"
	}
	return fmt.Errorf("%s is not UTF-8 text (%s, the first in line %d), and %s; nothing was written. Use replace on the lines around them, or convert the file with iconv in the shell first",
		s.rel, humanize.Count(count, "invalid byte"), line, what)
}

// foreignFiles returns a note for the model that lists the files of a search whose lines are not
// UTF-8.
func foreignFiles(names []string) string {
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	names = slices.Compact(names)
	const most = 5
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("and %d more", len(names)-most))
	}
	return fmt.Sprintf("[these files are not UTF-8 text; %s stands for other bytes: %s]", replacement, strings.Join(names, ", "))
}

// shownView returns the part of the file that an answer shows.
func (s *source) shownView(from, to int, whole bool) *history.View {
	return viewOf(s.abs, s.whole, history.View{From: from, To: to, Whole: whole})
}

// refuseChanged returns the error that shows the changes, and records the new content as seen. If
// the difference is too large to show, or the old content is no longer stored, it records nothing.
func (e *Env) refuseChanged(s *source, seen []byte) error {
	refusal := &ChangedError{Path: s.rel}
	if seen == nil {
		return refusal
	}
	d := textdiff.New(document(s.abs, seen).Text, s.document().Text)
	text := strings.ToValidUTF8(d.Unified(s.rel+" (seen)", s.rel+" (on disk)"), "\uFFFD")
	if len(text) <= e.Limits.OutputBytes()/2-notesBytes {
		refusal.Diff = text
		e.Seen.Record(s.abs, s.whole)
	}
	return refusal
}
