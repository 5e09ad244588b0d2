package main

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"agent/internal/base/lazyregexp"
	"agent/internal/cmdline"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/offline"
	"agent/internal/offline/judge"
	"agent/internal/toolspec"
)

// searches finds the long searches of a conversation.
func searches(entries []*history.Content, needs *judge.Recording, engine *offline.Engine, root string) (found []search) {
	facts := engine.ToolTraits()
	resolve := func(entry *history.Content, p string) string {
		if !path.IsAbs(p) {
			p = path.Join(cmp.Or(entry.Workspace(), root), p)
		}
		return path.Clean(p)
	}
	edited, quoted := lastEdits(entries, needs, facts, resolve)
	parts := map[int][]compression.RecordedUnit{} // keyed by entry
	shows := map[int]bool{}                       // entries that an edit quotes
	for i, part := range needs.Parts {
		parts[part.Entry] = append(parts[part.Entry], part)
		shows[part.Entry] = shows[part.Entry] || quoted[i]
	}
	var open search
	closed := func() {
		if open.Calls >= longSearch {
			found = append(found, open)
		}
		open = search{}
	}
	reply, starts := 0, false // starts: the entries up to the next reply belong to the open search
	for i, entry := range entries {
		if entry.Speaker != history.AI {
			unedited := entry.Speaker == history.Tool && !shows[i] && !slices.ContainsFunc(parts[i], func(p compression.RecordedUnit) bool { return p.Path != "" && edited[p.Path] > i })
			if starts && unedited {
				open.to = i + 1
				continue
			}
			if starts { // an edit quotes this answer or changes its file: the reply is not part of the search
				open.Replies, open.Calls = open.Replies-1, open.Calls-calls(entries[open.last])
				open.to = open.last
			}
			closed()
			starts = false
			continue
		}
		reply++
		if !looks(entry, facts, cmp.Or(entry.Workspace(), root)) {
			closed()
			starts = false
			continue
		}
		if open.Replies == 0 {
			open.from, open.Reply = i, reply
		}
		starts, open.last = true, i
		open.Replies, open.Calls = open.Replies+1, open.Calls+calls(entry)
	}
	closed()
	return found
}

// lastEdits returns the last entry that changes each file, and the parts that edits quote.
func lastEdits(entries []*history.Content, needs *judge.Recording, facts compression.TraitsLookup, resolve func(*history.Content, string) string) (edited map[string]int, quoted map[int]bool) {
	edited, quoted = map[string]int{}, map[int]bool{}
	for i, entry := range entries {
		for _, block := range entry.Blocks {
			if call, ok := block.(*history.ToolCall); ok && facts(call.Name).Edits {
				for _, file := range facts(call.Name).FilesOf(call) {
					edited[resolve(entry, file)] = i
				}
			}
		}
	}
	reply, at := 0, map[int]int{}
	for i, entry := range entries {
		if entry.Speaker == history.AI {
			at[reply] = i
			reply++
		}
	}
	for k, r := range needs.Replies {
		for _, q := range r.Quotes {
			if q.Path != "" {
				edited[q.Path] = max(edited[q.Path], at[k])
			}
			if q.Shown {
				quoted[q.Newest] = true
			}
		}
	}
	return edited, quoted
}

func calls(entry *history.Content) (n int) {
	for _, block := range entry.Blocks {
		if _, ok := block.(*history.ToolCall); ok {
			n++
		}
	}
	return n
}

// looks reports whether a reply has calls and all of them are read-only.
func looks(entry *history.Content, facts compression.TraitsLookup, root string) bool {
	for _, block := range entry.Blocks {
		if call, ok := block.(*history.ToolCall); ok && !onlyLooks(call, facts(call.Name), root) {
			return false
		}
	}
	return calls(entry) > 0
}

// inFolder matches the change of folder before a command.
var inFolder = lazyregexp.New(`^cd [^&;|]+ && `)

func onlyLooks(call *history.ToolCall, tool toolspec.Traits, root string) bool {
	if !tool.Runs {
		return tool.Reads && !tool.Edits && !tool.Stateful && !tool.Asks
	}
	for _, name := range tool.Command {
		value, _ := call.Arg(name)
		if line, ok := value.(string); ok && line != "" {
			parsed, err := cmdline.Read(inFolder.ReplaceAllString(line, "")).PlainCommands() // without its cd
			return err == nil && len(parsed.UnprovenCommands(cmdline.CommandContext{Dir: root, Inside: func(string) bool { return true }})) == 0
		}
	}
	return false
}

// measure sets the sizes of a search, of the conversation before and after it, and of its report.
func (s *search) measure(entries []*history.Content, needs *judge.Recording, counter history.Counter) {
	files := map[string]bool{}
	shown := map[int]bool{}
	for i, part := range needs.Parts {
		switch {
		case part.Entry < s.from:
			s.Before += part.Tokens
		case part.Entry < s.to:
			s.Tokens += part.Tokens
			if part.Path != "" {
				files[part.Path] = true
			}
			shown[i] = !part.Written
		}
	}
	s.Files = len(files)
	s.Later = len(needs.Replies) - (s.Reply - 1 + s.Replies)
	used := map[int]map[string]bool{} // keyed by part: the words of the part that later replies use
	for _, reply := range needs.Replies[s.Reply-1+s.Replies:] {
		for _, rare := range reply.Rare {
			if shown[rare.Newest] {
				if used[rare.Newest] == nil {
					used[rare.Newest] = map[string]bool{}
				}
				used[rare.Newest][needs.Word(rare)] = true
			}
		}
	}
	var report strings.Builder
	for _, i := range slices.Sorted(maps.Keys(used)) {
		part := needs.Parts[i]
		if part.Path != "" {
			report.WriteString(part.Path + "\n")
		}
		for line := range strings.Lines(part.Text) {
			for word := range compression.NameWords(line) {
				if used[i][word] {
					report.WriteString(line)
					delete(used[i], word)
				}
			}
		}
	}
	s.used = strings.Repeat("word ", reportBase) + report.String()
	if s.Report = counter.Count(s.used); s.Report > largestReport {
		s.Missing = s.Report - largestReport
		s.used = s.used[:len(s.used)*largestReport/s.Report]
		s.Report = largestReport
	}
}
