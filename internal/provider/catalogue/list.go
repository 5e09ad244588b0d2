package catalogue

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/llm/vendor"
)

// File is the name of the file with a fetched list of models.
const File = "models.tsv"

// MaxSize limits a fetched list of models, in bytes.
const MaxSize = 1 << 20

// list is a list of models and its date.
type list struct {
	lines string
	day   time.Time
}

// dayForm is the form of the date in the first line of a list.
const dayForm = "#\t" + time.DateOnly

// cut separates the first line of a list from the rest.
func cut(text string) (list, error) {
	first, rest, _ := strings.Cut(text, "\n")
	day, err := time.Parse(dayForm, first)
	if err != nil {
		return list{}, fmt.Errorf("the first line must be # and a date: %w", err)
	}
	return list{rest, day}, nil
}

var (
	file    string
	current = sync.OnceValue(load)
)

// UseFile sets the path of a fetched list of models. It must be called before the first lookup, which reads the
// file.
func UseFile(path string) { file = path }

// load returns the list of the file if it is newer than the list of the program.
func load() list {
	own, err := cut(embedded)
	if err != nil {
		panic("catalogue: " + err.Error())
	}
	if info, err := os.Stat(file); err != nil || info.Size() > MaxSize {
		return own
	}
	data, err := fsutil.Read(file)
	if err != nil {
		return own
	}
	if fetched, err := cut(string(data)); err == nil && fetched.day.After(own.day) {
		return fetched
	}
	return own
}

// ListDate returns the date of the list in use.
func ListDate() time.Time { return current().day }

// outdatedAfter is the age from which the prices of a list are considered unreliable.
const outdatedAfter = 60 * 24 * time.Hour

// IsOutdated reports whether the prices of the list in use are too old.
func IsOutdated(now time.Time) bool { return now.Sub(ListDate()) > outdatedAfter }

// CleanList returns a fetched list without inconsistent lines, the reasons why these were dropped, and the
// date of the list. It returns an error if the text is not a list.
func CleanList(text string) (kept string, dropped []string, day time.Time, err error) {
	l, err := cut(text)
	if err != nil {
		return "", nil, time.Time{}, err
	}
	var b strings.Builder
	b.WriteString(l.day.Format(dayForm) + "\n")
	for line := range strings.Lines(l.lines) {
		if _, err := checked(line); err != nil {
			dropped = append(dropped, err.Error())
			continue
		}
		b.WriteString(line)
	}
	return b.String(), dropped, l.day, nil
}

// checked returns the model of a line, or an error if the line is inconsistent.
func checked(line string) (Model, error) {
	line = strings.TrimSuffix(line, "\n")
	m, err := parse(line)
	if err != nil {
		return Model{}, err
	}
	cells := strings.Split(line, "\t")
	name := cells[0] + " " + cells[1]
	for _, cell := range cells[2:8] {
		// parse has already parsed the numbers.
		if n, _ := strconv.ParseFloat(cell, 64); cell != "" && !(n >= 0 && n < 1e9) {
			return Model{}, fmt.Errorf("%s: invalid number %s", name, cell)
		}
	}
	input, _ := strconv.ParseFloat(cells[4], 64)
	if read, _ := strconv.ParseFloat(cells[6], 64); cells[4] != "" && read > input {
		return Model{}, fmt.Errorf("%s: cache reads cost %g, more than input at %g", name, read, input)
	}
	if !slices.Contains([]vendor.BoundReasoning{"", vendor.BoundNone, vendor.BoundTurn, vendor.BoundPrefix}, m.Bound) {
		return Model{}, fmt.Errorf("%s: unknown reasoning-bound %q; use none, turn or prefix, or leave the cell empty", name, m.Bound)
	}
	if cells[0] == "" || cells[1] == "" || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r > '~' }) {
		return Model{}, fmt.Errorf("invalid model %q", name)
	}
	return m, nil
}
