package main

import (
	"fmt"
	"slices"

	"agent/internal/app"
	"agent/internal/settings"
	"agent/internal/setup/commands"
	"agent/internal/setup/instructions"
	"agent/internal/setup/permissions"
	"agent/internal/setup/skills"
	"agent/internal/words"
)

// checkSetup says what of a set-up is used in the current folder, and what is not.
func checkSetup(w world, f app.Folders, s *settings.Settings) []finding {
	if w.Dir == "" {
		return nil
	}
	texts := instructions.Find(instructions.Where{Config: f.Config, Home: w.Home, Workspace: w.Dir, Files: settings.Items(settings.InstructionFiles.Of(s))})
	able := skills.Find(skills.Where{Config: f.Config, Home: w.Home, Workspace: w.Dir})
	callable := commands.Find(commands.Where{Config: f.Config, Home: w.Home, Workspace: w.Dir})
	rules := permissions.Read(permissions.Where{Home: w.Home, Workspace: w.Dir})
	trusted := w.Trust(f, s, w.Dir)
	found := []finding{{"ok", fmt.Sprintf("set-up: %s, %s, %s", words.Count(len(texts.Files), "file")+" with instructions", words.Count(len(able.Skills), "skill"), words.Count(len(callable.Commands), "command")), ""}}
	for _, unread := range texts.Unread {
		found = append(found, finding{"note", "instructions: " + unread, ""})
	}
	for _, problem := range texts.Problems {
		found = append(found, finding{"note", "instructions: " + problem.Error(), ""})
	}
	for _, left := range slices.Concat(able.LeftOut, callable.LeftOut) {
		found = append(found, finding{"note", "left out: " + left, ""})
	}
	for _, problem := range rules.Problems {
		found = append(found, finding{"fix", "not protected: " + problem, "correct the rule; nothing keeps it until then"})
	}
	return append(found, trustFindings(trusted)...)
}
