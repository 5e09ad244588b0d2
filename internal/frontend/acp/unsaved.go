package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"agent/internal/atcmd"
	"agent/internal/base/fsutil"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/text/textdiff"
	"agent/internal/text/textfile"
	"agent/internal/tools"
)

// editorPatience is the time for an editor to send the text of a file.
const editorPatience = time.Second

// buffers compares files on disk with their text in the editor, because tools use the files on disk. If the
// editor has unsaved changes of a file, the answer of a read contains a remark. An edit is refused, because
// saving would overwrite one of the two changes.
type buffers struct {
	session *session

	mu sync.Mutex
	// silent is set if the editor did not answer in time. It then receives no further requests for text.
	silent bool
	// unsaved holds the remarks for the answers of running reads, by call.
	unsaved map[string]string
}

func (b *buffers) gate() gate.Gate {
	return gate.Gate{Name: "unsaved changes", Stage: gate.StageDeny, Check: b.check, Remark: b.remark}
}

// check refuses an edit of a file with unsaved changes, and prepares a remark for a read of such a file.
func (b *buffers) check(ctx context.Context, call gate.Call) gate.Verdict {
	var found string
	for _, path := range filesOf(call) {
		if n := b.differ(ctx, b.session.show.absolute(path)); n > 0 {
			found += fmt.Sprintf("%s has unsaved changes in the editor: %s; ", path, linesDiffer(n))
		}
	}
	switch {
	case found == "":
	case call.Traits.Edits:
		return gate.Verdict{Refusal: "not run: " + found + "ask the user to save first"}
	default:
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.unsaved == nil {
			b.unsaved = map[string]string{}
		}
		b.unsaved[keyOf(call)] = found + "this is the text on disk"
	}
	return gate.Verdict{}
}

func (b *buffers) remark(call gate.Call, _ tools.Answer) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := b.unsaved[keyOf(call)]
	delete(b.unsaved, keyOf(call))
	return found
}

func keyOf(call gate.Call) string { return call.Name + call.Arguments.String() }

func linesDiffer(n int) string {
	if n == 1 {
		return "1 line differs"
	}
	return fmt.Sprintf("%d lines differ", n)
}

func filesOf(call gate.Call) []string {
	if call.Traits.Edits {
		return call.Preview.Paths
	}
	if !call.Traits.ShowsFile() && !call.Traits.ShowsFiles() {
		return nil
	}
	return call.Traits.FilesOf(call.Arguments)
}

// differ returns the number of lines in which the editor's text of a file differs from the disk. It returns
// 0 if the editor does not answer.
func (b *buffers) differ(ctx context.Context, path string) int {
	b.mu.Lock()
	silent := b.silent || !b.session.server.readsText
	b.mu.Unlock()
	if silent {
		return 0
	}
	shown, known := b.ask(ctx, path)
	if !known {
		return 0
	}
	data, err := fsutil.ReadBeginning(path, maxMessage)
	if len(data) == maxMessage || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	plain := func(text string) string { return strings.TrimSuffix(text, "\n") }
	return textdiff.New(plain(textfile.Parse(data).Text), plain(textfile.NormalizeLineEnds(shown))).ChangedCount()
}

// ofLinks returns remarks about the files with unsaved changes that a message links to.
func (b *buffers) ofLinks(blocks []contentBlock) atcmd.Message {
	found := make([]string, len(blocks))
	var asked sync.WaitGroup
	for i, block := range blocks {
		path := pathOf(block.URI)
		if block.Type != "resource_link" || !filepath.IsAbs(path) || !fsutil.Within(path, b.session.talk.Root()) {
			continue
		}
		asked.Go(func() {
			if n := b.differ(b.session.ctx, path); n > 0 {
				found[i] = fmt.Sprintf("%s has unsaved changes in the editor: %s; this is the text on disk", path, linesDiffer(n))
			}
		})
	}
	asked.Wait()
	var m atcmd.Message
	for _, remark := range found {
		if remark != "" {
			m = append(m, atcmd.Part{Text: remark, Source: history.SourcePiped})
		}
	}
	return m
}

// ask requests the text of a file from the editor.
func (b *buffers) ask(ctx context.Context, path string) (text string, known bool) {
	waits, cancel := context.WithTimeout(ctx, editorPatience)
	defer cancel()
	m, answered := b.session.server.conn.ask(waits, "fs/read_text_file", map[string]any{"sessionId": b.session.id, "path": path})
	if !answered {
		b.mu.Lock()
		b.silent = b.silent || ctx.Err() == nil
		b.mu.Unlock()
	}
	var result struct {
		Content *string `json:"content"`
	}
	if !answered || m.Error != nil || json.Unmarshal(m.Result, &result) != nil || result.Content == nil {
		return "", false
	}
	return *result.Content, true
}
