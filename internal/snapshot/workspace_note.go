package snapshot

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/gitfiles/index"
)

// The description of a workspace before a command is a file with these lines:
//
//	d INODE                         a folder
//	c INODE MODE SIZE SUM PATH      a clean file, whose content git has
//	o INODE MODE PATH STATE         any other file
//
// The paths are quoted as in Go and the state is JSON.

// note writes the description of the workspace before a command.
func (s *Store) note(b *began, was *before) error {
	if len(was.seen) > maxDescribedFiles {
		return fmt.Errorf("the workspace has more than %d files; agent does not record all of them before each command", maxDescribedFiles)
	}
	var all bytes.Buffer
	for _, inode := range was.folderInodes {
		fmt.Fprintf(&all, "d %d\n", inode)
	}
	tracked := tracked{entries: was.index.Read()}
	for place, file := range was.seen {
		if !file.is(there) {
			continue
		}
		folder, name := was.split(place)
		rel := folder + name
		if file.is(clean) && tracked.find(folder, name) {
			all.Write(appendClean(all.AvailableBuffer(), file, tracked.entry()))
			continue
		}
		state := was.states[rel]
		if file.is(clean) {
			state = FileState{Kind: KindFile, Mode: modeOf(uint32(file.mode)), NotKept: lostIndex}
		}
		line, err := appendOther(all.AvailableBuffer(), file, rel, state)
		if err != nil {
			return err
		}
		all.Write(line)
	}
	b.Held = checksum(all.Bytes())
	return os.WriteFile(notePath(s.Folder, b.Slot), all.Bytes(), 0o600)
}

func appendClean(line []byte, file seen, e *index.Entry) []byte {
	line = strconv.AppendUint(append(line, "c "...), uint64(file.inode), 10)
	line = strconv.AppendUint(append(line, ' '), uint64(file.mode), 10)
	line = strconv.AppendUint(append(line, ' '), uint64(e.Size), 10)
	line = hex.AppendEncode(append(line, ' '), e.Name)
	line = strconv.AppendQuote(append(line, ' '), string(e.Path))
	return append(line, '\n')
}

func appendOther(line []byte, file seen, rel string, is FileState) ([]byte, error) {
	state, err := json.Marshal(is)
	line = strconv.AppendUint(append(line, "o "...), uint64(file.inode), 10)
	line = strconv.AppendUint(append(line, ' '), uint64(file.mode), 10)
	line = strconv.AppendQuote(append(line, ' '), rel)
	return append(append(append(line, ' '), state...), '\n'), err
}

// notedFile is a file in a workspace description.
type notedFile struct {
	path string
	seen
	state FileState
}

// readNote reads the description that note wrote before a command.
func (s *Store) readNote(b *began) (*before, error) {
	data, err := fsutil.ReadUpTo(notePath(s.Folder, b.Slot), largestJournal)
	if err != nil {
		return nil, err
	}
	if checksum(data) != b.Held {
		return nil, errors.New("it is damaged")
	}
	was := s.newBefore()
	was.listing, was.listed, was.begun = &listing{}, b.Listed, b.At
	var files []notedFile
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		kind, rest, _ := strings.Cut(lines.Text(), " ")
		file, err := parseNote(kind, rest)
		if err != nil {
			return nil, err
		}
		if kind == "d" {
			was.folderInodes = append(was.folderInodes, file.inode)
			continue
		}
		if s.Secret(absolute(s.files.workspace.Root(), file.path), file.path) {
			file.state.NotKept = lostSecret
		}
		files = append(files, file)
	}
	slices.SortFunc(files, func(a, b notedFile) int { return strings.Compare(a.path, b.path) })
	for _, file := range files {
		was.listing.add([]byte(file.path), nil)
		was.seen = append(was.seen, file.seen)
		was.states[file.path] = file.state
		for dir := filepath.Dir(file.path); !was.folders[dir]; dir = filepath.Dir(dir) {
			was.folders[dir] = true
		}
	}
	// A file that is unchanged according to git's index need not be read.
	was.index = openIndex(was.root)
	tracked := tracked{entries: was.index.Read()}
	was.eachFile(func(place int, at stamp, ok bool) {
		file := &was.seen[place]
		if ok && was.isClean(&tracked, place, at) && uint16(at.mode) == file.mode && was.states[was.path(place)].Sum == gitSum+hex.EncodeToString(tracked.entry().Name) {
			file.identity = was.identities.of(at)
			file.mark(settled)
		}
	})
	return was, nil
}

// parseNote parses a line of the description. kind is the first word of the line.
func parseNote(kind, line string) (file notedFile, err error) {
	number := func(bits int) (n uint64) {
		word, rest, _ := strings.Cut(line, " ")
		line = rest
		if err == nil {
			n, err = strconv.ParseUint(word, 10, bits)
		}
		return n
	}
	file.inode = uint32(number(32))
	if kind == "d" {
		return file, err
	}
	file.mode, file.facts = uint16(number(16)), there
	if kind == "c" {
		size := int64(number(32))
		name, rest, _ := strings.Cut(line, " ")
		file.state, line = FileState{Kind: KindFile, Mode: modeOf(uint32(file.mode)), Size: size, Sum: gitSum + name}, rest
	}
	if err != nil {
		return file, err
	}
	quoted, err := strconv.QuotedPrefix(line)
	if err == nil {
		file.path, err = strconv.Unquote(quoted)
	}
	if err == nil && kind == "o" {
		err = json.Unmarshal([]byte(line[len(quoted):]), &file.state)
	}
	return file, err
}
