package app

import (
	"slices"

	"agent/internal/app/extensions"
	"agent/internal/app/hookgates"
	"agent/internal/app/mcphost"
	"agent/internal/app/sessionnotes"
	"agent/internal/extend/setup"
	"agent/internal/extend/setup/consent"
	"agent/internal/extend/setup/hooks"
)

// A setUp holds the configuration files of the user and the repository, as they were read at the start.
type setUp struct {
	// texts holds the skills and commands.
	texts   setup.Set
	hooks   hooks.Listing
	servers *mcphost.ConfiguredServers
	// trust holds the user's decisions about the items of the repository that need consent.
	trust *consent.Trust
}

// readSetUp reads the configuration of a place. The option NoSetup omits all of it except the servers that
// the options name.
func readSetUp(at *place, rules *hookgates.Rules) (s setUp, err error) {
	if s.servers, err = at.process.Servers(at.folders, at.workspace.Root(), at.options); err != nil {
		return s, err
	}
	if at.options.NoSetup {
		s.trust = consent.Find(at.where, at.process.Now, nil, nil)
		return s, nil
	}
	s.texts, s.hooks = setup.Find(at.where, extensions.SkillPaths(at.settings, at.where)), hooks.Find(at.where)
	s.trust = at.process.trust(at.where, s.texts, rules.Rules, s.servers.Listing, s.hooks, sessionnotes.ConsentItems(at.settings, at.notes.Book))
	if at.options.TrustProject {
		err = s.trust.ApproveForRun()
	}
	return s, err
}

// leftOut lists the parts that cannot be used, with the reasons.
func (s setUp) leftOut() []string {
	return slices.Concat(s.texts.Skills.Skipped, s.texts.Commands.Skipped, hookgates.SkippedLines(s.hooks), s.servers.Problems)
}

// notices returns lines for the user about servers and about ignored items. Unless asks is set, it adds a
// line about items that wait for consent. If asks is set, the interface asks the user about them.
func (s setUp) notices(asks bool) (lines []string) {
	for _, line := range slices.Concat(s.servers.Problems, s.servers.Notes) {
		lines = append(lines, "mcp: "+line)
	}
	for _, line := range s.trust.Ignored {
		lines = append(lines, "ignored: "+line)
	}
	if left := s.trust.UnansweredLine(); left != "" && !asks {
		lines = append(lines, "agent: "+left)
	}
	return lines
}
