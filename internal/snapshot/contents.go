package snapshot

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/git/gitcmd"
)

// fetchTime limits the time in which git must return contents.
const fetchTime = time.Minute

// contents finds the contents of files in the store and in git.
type contents struct {
	objects
	// root is the workspace, in which git runs.
	root string
	// fetched maps git's hashes of contents that were read from git to our hashes.
	fetched map[string]string
}

func targetsOf(way []*passage) []FileState {
	states := make([]FileState, len(way))
	for i, p := range way {
		states[i] = p.target
	}
	return states
}

// fetch stores the contents of states that only git has. If a filter of git changed a content, the
// stored size differs from the file's, and the content is omitted.
func (c *contents) fetch(ctx context.Context, states []FileState) error {
	wanted := map[string]int64{}
	var names strings.Builder
	for _, state := range states {
		name, ok := strings.CutPrefix(state.Sum, gitSum)
		if _, known := c.fetched[state.Sum]; ok && !known && state.Kind == KindFile && wanted[name] == 0 {
			wanted[name] = state.Size + 1
			names.WriteString(name + "\n")
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	if c.fetched == nil {
		c.fetched = map[string]string{}
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	out, err := gitcmd.OutputWithInput(ctx, c.root, strings.NewReader(names.String()), "cat-file", "--batch")
	if err != nil {
		return fmt.Errorf("git can't return the stored content: %w", err)
	}
	in := bufio.NewReader(bytes.NewReader(out))
	for {
		name, content, err := nextBlob(in)
		if err != nil {
			return nil // the end
		}
		if sum := sumOf(content); int64(len(content))+1 == wanted[name] && c.put(sum, content) == nil {
			c.fetched[gitSum+name] = sum
		}
	}
}

// joined reports whether the recorded changes of a file are contiguous.
func (c *contents) joined(ctx context.Context, p *passage) bool {
	return !slices.ContainsFunc(p.joints, func(j joint) bool { return !c.meet(ctx, j.end, j.begin) })
}

// meet reports whether a change with the start state begin can directly follow a change with the
// end state end. It is false only if the states are known to differ.
func (c *contents) meet(ctx context.Context, end, begin FileState) bool {
	switch {
	case end.Kind != begin.Kind || end.LinkTarget != begin.LinkTarget:
		return false
	case end.Kind != KindFile || end.Sum == begin.Sum && end.Sum != "":
		return end.allowsMode(begin)
	case !end.allowsMode(begin):
		return false
	case end.vague() || begin.vague():
		return true
	case end.Sum == "" && begin.Sum == "":
		return end.Size == begin.Size && end.Written.Equal(begin.Written)
	case end.Sum == "" || begin.Sum == "":
		return end.Size == begin.Size
	case strings.HasPrefix(end.Sum, gitSum) == strings.HasPrefix(begin.Sum, gitSum):
		return false
	}
	if strings.HasPrefix(begin.Sum, gitSum) {
		end, begin = begin, end
	}
	if err := c.fetch(ctx, []FileState{end}); err == nil && c.fetched[end.Sum] != "" {
		return c.fetched[end.Sum] == begin.Sum
	}
	return end.Size == begin.Size // git's content differs from the file's earlier content
}

// content returns the content of a state. now is the present file. If the present file has the
// content of the state, now supplies it.
func (c *contents) content(state FileState, now version) ([]byte, error) {
	if now.Kind == KindFile && state.Sum != "" && now.content != nil && now.hasSum(state.Sum) {
		return now.content, nil
	}
	if own, ok := c.fetched[state.Sum]; ok {
		return c.get(own)
	}
	content, err := c.get(state.Sum)
	if content == nil && err == nil {
		content = []byte{}
	}
	if err != nil {
		err = fsutil.Reason(err)
	}
	return content, err
}

// nextBlob reads one response of git cat-file --batch. content is nil if git does not have the
// content.
func nextBlob(in *bufio.Reader) (name string, content []byte, err error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return "", nil, err
	}
	words := strings.Fields(line)
	if len(words) != 3 {
		return "", nil, nil // "NAME missing"
	}
	size, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil || size < 0 {
		return "", nil, io.ErrUnexpectedEOF
	}
	content = make([]byte, size+1) // the caller appends a line break
	_, err = io.ReadFull(in, content)
	return words[0], content[:size], err
}
