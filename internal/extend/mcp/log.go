package mcp

import (
	"bytes"
	"strings"
	"sync"
)

// journal keeps the last text that a server wrote outside its answers: its standard error and its
// log messages. It is safe for concurrent use.
type journal struct {
	mu   sync.Mutex
	text []byte
}

// journalBytes is the greatest length of the text in a journal, in bytes.
const journalBytes = 64 << 10

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.text = append(j.text, p...)
	j.text = j.text[max(0, len(j.text)-journalBytes):]
	return len(p), nil
}

func (j *journal) line(text string) { _, _ = j.Write([]byte(text + "\n")) }

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return string(j.text)
}

// lastLine returns the beginning of the last line that is not blank.
func (j *journal) lastLine() string {
	const most = 300
	j.mu.Lock()
	defer j.mu.Unlock()
	text := bytes.TrimSpace(j.text)
	text = text[bytes.LastIndexByte(text, '\n')+1:]
	return strings.ToValidUTF8(string(bytes.TrimSpace(text[:min(len(text), most)])), "�")
}
