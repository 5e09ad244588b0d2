package search

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"time"
)

// ripgrep searches with the program rg. It is handed every file by name, so that
// what is searched is decided in one place and the same with and without it. What
// is found differs only where an expression matches bytes that are not UTF-8.
type ripgrep struct {
	program string
}

// ripgrepArguments is how many bytes of names one call gets; systems refuse
// somewhere above 128 KiB to 2 MiB.
const ripgrepArguments = 100 << 10

// errNotForRipgrep says that rg cannot do a search.
var errNotForRipgrep = errors.New("ripgrep cannot search for this")

func (r ripgrep) search(ctx context.Context, expression *Expression, files []string, limit int) ([]Match, error) {
	if expression.rust == "" {
		return nil, errNotForRipgrep
	}
	var matches []Match
	for len(files) > 0 && len(matches) <= limit {
		batch := 0
		for size := 0; batch < len(files) && size < ripgrepArguments; batch++ {
			size += len(files[batch]) + 1
		}
		found, err := r.searchBatch(ctx, expression, files[:batch], limit)
		if err != nil {
			return nil, err
		}
		matches = append(matches, found...)
		files = files[batch:]
	}
	return matches, nil
}

func (r ripgrep) searchBatch(ctx context.Context, expression *Expression, files []string, limit int) ([]Match, error) {
	args := append([]string{"--json", "--no-config", "--no-messages", "--no-mmap", "--crlf", "--encoding", "none", "--regexp", expression.rust, "--"}, files...)
	cmd := exec.CommandContext(ctx, r.program, args...)
	// It needs no variable, and gets no secret.
	cmd.Env = []string{}
	cmd.WaitDelay = time.Second
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	found, complete, readErr := readRipgrep(output, expression, limit+1)
	if readErr != nil {
		// It must not wait for a reader that is gone.
		_ = cmd.Process.Kill()
	}
	// The exit code says whether there were matches and whether some file could
	// not be read; whether it worked is known from its closing message.
	_ = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case readErr != nil:
		return nil, readErr
	case !complete:
		return nil, errNotForRipgrep
	}
	var matches []Match
	for _, file := range files {
		matches = append(matches, found[file]...)
	}
	return matches, nil
}

// ripgrepMessage is one line of rg --json.
type ripgrepMessage struct {
	Type string
	Data struct {
		Path         ripgrepText
		Lines        ripgrepText
		LineNumber   int  `json:"line_number"`
		BinaryOffset *int `json:"binary_offset"`
	}
}

// ripgrepText is text, or bytes when it is not UTF-8.
type ripgrepText struct {
	Text  string
	Bytes []byte
}

func (t ripgrepText) raw() string { return t.Text + string(t.Bytes) }

// readRipgrep reads the messages of rg: up to limit matches of each file, and
// whether the search was complete.
func readRipgrep(output io.Reader, expression *Expression, limit int) (found map[string][]Match, complete bool, err error) {
	found = map[string][]Match{}
	messages := json.NewDecoder(output)
	for {
		var message ripgrepMessage
		if err := messages.Decode(&message); err == io.EOF {
			return found, complete, nil
		} else if err != nil {
			return nil, false, err
		}
		file := message.Data.Path.raw()
		switch message.Type {
		case "match":
			line := strings.TrimSuffix(strings.TrimSuffix(message.Data.Lines.raw(), "\n"), "\r")
			if at := expression.pattern.FindStringIndex(line); at != nil && len(found[file]) < limit {
				found[file] = append(found[file], Match{
					File: file, Line: message.Data.LineNumber, Text: strings.ToValidUTF8(line, "\uFFFD"), At: at[0],
				})
			}
		case "end":
			if message.Data.BinaryOffset != nil {
				delete(found, file)
			}
		case "summary":
			complete = true
		}
	}
}
