package app

import (
	"agent/internal/app/extensions"
	"agent/internal/app/hookgates"
	"agent/internal/app/mcphost"
	"agent/internal/app/sessionnotes"
	"agent/internal/app/webtool"
	"agent/internal/chat"
	"agent/internal/extend/setup/consent"
	"agent/internal/extend/setup/manifest"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/policy"
	"agent/internal/rules"
	"agent/internal/trace"
)

// conversationParts holds the parts of a conversation around its turn loop. They are the rules, hooks, servers and
// texts of the user and the repository, and the environment of the tools.
type conversationParts struct {
	at      *place
	rec     *record
	models  *endpoints
	events  *events
	host    *hookgates.Host
	guards  *guards
	guarded *guarded
	trust   *consent.Trust
	web     *webtool.Web
	servers *mcphost.Servers
	symbols *symbols
	notes   *sessionnotes.Notes
	texts   *extensions.Extensions
	// start returns the start of the session. news returns messages about changes since the system prompt
	// was rendered.
	start func() sessionStart
	news  func() []history.Block
	// tracer reports to a trace collector. It is nil if the environment names no collector.
	tracer *trace.Tracer
	// leftOut lists the parts of the configuration that cannot be used, with the reasons.
	leftOut []string
}

// refreeze updates the system prompt of the next requests to the current instructions and notes.
func (x *conversationParts) refreeze() {
	for _, notice := range append(x.texts.Refreeze(), x.notes.UpdatePrompt()...) {
		x.events.emit(chat.Notice{Text: notice})
	}
}

// useAgreed applies the items that the user has approved.
func (x *conversationParts) useAgreed() {
	var allowed rules.Rules
	for _, r := range x.trust.ApprovedItems() {
		if r.Kind == consent.KindAllow {
			allowed = append(allowed, hookgates.TranslateRules(x.at.known, r.Effects.Texts(manifest.Rule))...)
		}
	}
	x.host.Consent.SetAgreedRules(allowed)
	paths := x.trust.GuardedPaths()
	x.guarded.paths.Store(&paths)
	x.servers.StartApproved()
	x.notes.ReportApproved()
}

// guards holds the checks between the planning and the effect of a call. The approval mode, the loop guard
// and consent are separate.
type guards struct {
	bounds *policy.Policy
	rules  *hookgates.Rules
	checks *hookgates.Checks
	hooks  *hookgates.Hooks
	// front holds the gates of the interface.
	front []gate.Gate
}
