package slash

import (
	"path"

	"agent/internal/base/table"
	"agent/internal/command"
	"agent/internal/manual"
	"agent/internal/settings"
)

// answer returns the page whose name is words. Otherwise it searches commands, settings, keys and the
// documentation. It returns the matching names, and the best section as Markdown.
func answer(words string, d Deps, commands *command.Commands) (lines []string, text string) {
	if page, found := manual.PageOf(d.Manual(), words); found {
		return nil, page.Text
	}
	entries := Entries(commands.All(), d.Settings.Registry())
	if d.Keys.Shown != nil {
		for _, key := range d.Keys.Shown() {
			entries = append(entries, manual.Entry{Name: key.Name, Help: key.Does})
		}
	}
	found := manual.Search(words, entries, d.Manual())
	var rows [][]string
	for _, entry := range found.Entries {
		rows = append(rows, []string{entry.Name, entry.Help})
	}
	lines = table.Lines("ll", rows)
	for i, section := range found.Sections {
		if i == 0 {
			text = section.Text
			continue
		}
		lines = append(lines, "See also: /help "+path.Base(section.Page)+" ("+section.Title+")")
	}
	return lines, text
}

// Entries returns the names and the help of commands and settings, for the documentation search. The help
// of a command's forms is only searched.
func Entries(commands []command.Command, registry *settings.Registry) (entries []manual.Entry) {
	for _, c := range commands {
		also := ""
		for _, form := range c.Forms {
			also += form.Does + " "
		}
		entries = append(entries, manual.Entry{Name: "/" + c.Name, Help: c.Help, Also: also})
	}
	for _, spec := range registry.Specs() {
		entries = append(entries, manual.Entry{Name: "/set " + spec.Key, Help: spec.Help})
	}
	return entries
}
