package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/base/secret"
	"agent/internal/command"
	"agent/internal/history"
	"agent/internal/offline/logs"
	"agent/internal/session"
	"agent/internal/sessionsearch"
)

// A Finder searches recorded sessions for a user.
type Finder struct {
	Sessions sessionsearch.Sessions
	// Here reports whether sessions of a folder belong to the repository of this session.
	Here func(workspace string) bool
	Now  func() time.Time
	// Progress is called with the number of bytes read so far and the total; it may be nil.
	Progress func(read, all int64)
}

// MaxFound limits the number of passages that are shown to a user.
const MaxFound = 50

// Search returns the passages that match a query. It searches the sessions of the repository, or all
// sessions if all is set. remarks are lines for the user.
func (f Finder) Search(ctx context.Context, query string, all bool) (hits []sessionsearch.Hit, remarks []string, err error) {
	q, options, err := f.asked(query, all)
	if err != nil {
		return nil, nil, err
	}
	found, err := f.Sessions.Search(ctx, q, options)
	if err != nil {
		return nil, nil, err
	}
	if q.Plain {
		remarks = append(remarks, "Regular expressions are not supported; searched for the words.")
	}
	if found.More {
		remarks = append(remarks, fmt.Sprintf("Only the first %d matches are shown. To narrow the search, add words, path:FILE or after:DATE.", MaxFound))
	}
	return found.Hits, remarks, nil
}

// SearchOthers returns the search in sessions of other programs. Each search reads these sessions again.
func (f Finder) SearchOthers(files []logs.File) func(ctx context.Context, query string, all bool) ([]sessionsearch.Hit, []string, error) {
	return func(ctx context.Context, query string, all bool) ([]sessionsearch.Hit, []string, error) {
		q, options, err := f.asked(query, all)
		if err != nil {
			return nil, nil, err
		}
		var remarks []string
		found, err := f.Sessions.SearchOther(ctx, files, q, options, func(path string, err error) {
			remarks = append(remarks, fmt.Sprintf("can't read session %s: %v", path, fsutil.Reason(err)))
		})
		return found.Hits, remarks, err
	}
}

// asked returns a parsed query, with options for the sessions of the repository, or for all sessions if all
// is set.
func (f Finder) asked(query string, all bool) (sessionsearch.Query, sessionsearch.Options, error) {
	options := sessionsearch.Options{In: f.Here, Most: MaxFound, Progress: f.Progress}
	if all {
		options.In = nil
	}
	q, err := sessionsearch.ParseQuery(query, f.Now())
	return q, options, err
}

// FoundLines formats passages as text: a line with the session and the entry, and below it the passage with
// the matching words marked.
func FoundLines(hits []sessionsearch.Hit, now time.Time) (lines []string) {
	titles := titlesOf()
	for _, h := range hits {
		lines = append(lines, fmt.Sprintf("%s#%d  %s  %s  %s", h.Session, h.Entry, timeAgo(now.Sub(h.Time)), h.Kind, humanize.Line(titles(h), ledgerWidth)), "  "+h.MarkedText())
	}
	return lines
}

// titlesOf returns a function that returns the title of a hit's session.
func titlesOf() func(sessionsearch.Hit) string {
	known := map[string]string{}
	return func(h sessionsearch.Hit) string {
		title, ok := known[h.Log]
		if !ok {
			if h.Agent != "" {
				return h.Agent + " in " + h.Workspace
			}
			info, _ := session.Inspect(h.Log) // a deleted log has no title
			title = info.Title
			known[h.Log] = title
		}
		return title
	}
}

// place matches the name of an entry of a session: ID#NUMBER.
var place = lazyregexp.New(`^([A-Za-z0-9._-]{1,64})#([0-9]{1,12})$`)

func findCommand(d Deps) command.Command {
	return command.Command{
		Name: "find", Aliases: []string{"search"}, Help: "search earlier sessions",
		Forms: []command.Form{{
			Args: "WORDS", Rest: true, Does: `use words, "exact words", -word, path:FILE, tool:NAME, before:DATE, after:DATE, or ID#N for an entry`,
			Run: d.find,
		}},
	}
}

func (d Deps) find(ctx context.Context, values []string) (command.Output, error) {
	if at := place.FindStringSubmatch(values[0]); at != nil && len(values) == 1 {
		number, err := strconv.ParseUint(at[2], 10, 64)
		if err != nil {
			return command.Output{}, err
		}
		lines, err := d.Finder.show(ctx, at[1], number, entriesAround)
		return command.Output{Lines: lines}, err
	}
	for i, value := range values {
		if strings.ContainsAny(value, " \t") {
			values[i] = `"` + value + `"` // quotes it again
		}
	}
	hits, remarks, err := d.Finder.Search(ctx, strings.Join(values, " "), false)
	switch {
	case err != nil:
		return command.Output{}, err
	case len(hits) == 0:
		return command.Output{Lines: append(remarks, "No session of this repository matches. To search all folders, run: agent sessions search --all")}, nil
	}
	return command.Output{Lines: append(FoundLines(hits, d.Now()), remarks...), Pick: d.pickFound(hits)}, nil
}

func (d Deps) pickFound(hits []sessionsearch.Hit) *command.ChoiceList {
	titles, byLine := titlesOf(), map[string]sessionsearch.Hit{}
	pick := &command.ChoiceList{Title: "found"}
	for _, h := range hits {
		line := fmt.Sprintf("/find %s#%d", h.Session, h.Entry)
		byLine[line] = h
		pick.Choices = append(pick.Choices, command.Choice{
			Name: h.MarkedText(), Help: strings.Join([]string{timeAgo(d.Now().Sub(h.Time)), h.Kind, titles(h)}, " · "), Line: line,
			Preview: func() string {
				lines, err := d.Finder.show(context.Background(), h.Session, h.Entry, 0)
				if err != nil {
					return err.Error()
				}
				return strings.Join(lines, "\n")
			},
		})
	}
	if d.Resume != nil {
		pick.Actions = append(pick.Actions, command.ChoiceAction{Key: "ctrl+r", Name: "resume it", Instead: func(c command.Choice) command.Choice {
			return command.Choice{Line: "/resume " + byLine[c.Line].Session}
		}})
	}
	pick.Actions = append(pick.Actions, command.ChoiceAction{Key: "ctrl+f", Name: "quote", Instead: func(c command.Choice) command.Choice {
		h := byLine[c.Line]
		return command.Choice{Draft: fmt.Sprintf("From session %s of %s (%s), entry %d:\n> %s\n", h.Session, h.Time.Format("2006-01-02"), humanize.Line(titles(h), ledgerWidth), h.Entry, h.Text)}
	}})
	return pick
}

// entriesAround is the number of entries that are shown before and after an entry.
const entriesAround = 2

// show returns an entry of a session of the repository, with around entries before and after it.
func (f Finder) show(ctx context.Context, id string, number uint64, around int) (lines []string, err error) {
	places, err := f.Sessions.Places(ctx, id, f.Here)
	if err != nil {
		return nil, err
	}
	for i, p := range slices.Backward(places) {
		if p.Number > number { // a record that is not searchable shows the entry before it
			continue
		}
		lines = append(lines, fmt.Sprintf("Session %s in %s. To resume it, run: agent -r %s", id, p.Workspace, id))
		for _, near := range places[max(0, i-around):min(len(places), i+around+1)] {
			entry, err := f.Sessions.Read(near)
			if err != nil {
				return nil, err
			}
			mark := "──"
			if near.Number == p.Number {
				mark = "▸─"
			}
			lines = append(lines, "", fmt.Sprintf("%s %d, %s, %s", mark, near.Number, near.Kind, near.Time.Format("2006-01-02 15:04")))
			lines = append(lines, strings.Split(strings.TrimSpace(secret.Redact(history.Transcript(entry))), "\n")...)
		}
		return lines, nil
	}
	return nil, errors.New("session " + id + " has no entry " + strconv.FormatUint(number, 10))
}
