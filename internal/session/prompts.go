package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"agent/internal/disk"
	"agent/internal/history"
)

// Prompts is the file of what the user sent, kept across sessions: a prompt a line,
// the oldest first.
type Prompts struct{ Path string }

// Prompt is what somebody sent, in order. In the file it is a list, or a string when
// all of it was typed.
type Prompt []PromptPart

// PromptPart is a piece of a prompt.
type PromptPart struct {
	Text string `json:"text"`
	// Source is where the text comes from, empty when it was typed (D-46).
	Source history.Source `json:"source,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (p Prompt) MarshalJSON() ([]byte, error) {
	if len(p) == 1 && p[0].Source == "" {
		return json.Marshal(p[0].Text)
	}
	return json.Marshal([]PromptPart(p))
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *Prompt) UnmarshalJSON(data []byte) error {
	var typed string
	if json.Unmarshal(data, &typed) == nil {
		*p = Prompt{{Text: typed}}
		return nil
	}
	return json.Unmarshal(data, (*[]PromptPart)(p))
}

// keptPrompts is how many prompts are loaded, maxPromptFile the size in bytes at
// which older ones are dropped from the file.
const (
	keptPrompts   = 1000
	maxPromptFile = 1 << 20
)

// Load returns the newest prompts, oldest first. Lines that cannot be read are
// passed over; a missing file is an empty history.
func (p Prompts) Load() ([]Prompt, error) {
	data, err := disk.Read(p.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the prompt history: %w", err)
	}
	var prompts []Prompt
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxPromptFile)
	for lines.Scan() {
		var prompt Prompt
		if json.Unmarshal(lines.Bytes(), &prompt) == nil {
			prompts = append(prompts, prompt)
		}
	}
	prompts = prompts[max(0, len(prompts)-keptPrompts):]
	if len(data) > maxPromptFile {
		return prompts, p.rewrite(prompts)
	}
	return prompts, nil
}

// Append adds a prompt. One write a line, so that programs that append at once do
// not mix theirs.
func (p Prompts) Append(prompt Prompt) error {
	line, err := json.Marshal(prompt)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.Path), 0o700); err != nil {
		return fmt.Errorf("keeping the prompt: %w", err)
	}
	file, err := os.OpenFile(p.Path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("keeping the prompt: %w", err)
	}
	if isTorn(file) {
		line = append([]byte("\n"), line...)
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}

// isTorn reports whether the last line of a file is only a part, as a disk leaves it that
// became full. What follows must not be lost with it.
func isTorn(file *os.File) bool {
	end, _ := file.Seek(0, io.SeekEnd)
	last := make([]byte, 1)
	_, err := file.ReadAt(last, end-1) // refused where the file is empty
	return err == nil && last[0] != '\n'
}

// rewrite makes the file hold only prompts, atomically.
func (p Prompts) rewrite(prompts []Prompt) error {
	var b bytes.Buffer
	for _, prompt := range prompts {
		line, err := json.Marshal(prompt)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	if err := disk.Replace(p.Path, b.Bytes(), 0o600); err != nil {
		return fmt.Errorf("shortening the prompt history: %w", err)
	}
	return nil
}
