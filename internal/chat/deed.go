package chat

import (
	"fmt"
	"net/url"

	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/snapshot"
	"agent/internal/traits"
)

// deed returns what a call that is over did to the machine, for the record.
func (r *runner) deed(k *call) history.Deed {
	d := history.Deed{Asked: k.asked, Read: k.answer.Read}
	d.Wrote, d.Unlisted = r.wrote(k.answer.Change)
	ran := k.refused == ""
	if k.asked == nil && (!ran || !k.Traits.Harmless() && !k.Preview.ReadOnly) {
		d.Asked = &history.Asked{By: "mode " + string(r.consent.Mode()), Answer: "allowed"}
		if !ran {
			d.Asked = &history.Asked{By: "gate", Answer: "refused", Rule: k.refused}
		}
	}
	if !ran {
		return d
	}
	if k.Traits.Reads && k.answer.View == nil && len(d.Read) == 0 && k.answer.Error == "" {
		d.Looked = k.Said.Title()
	}
	if d.Ran = k.Preview.Command; d.Ran != "" {
		d.Profile = r.profile(k)
	}
	if s := k.Preview.Served; s != nil {
		d.Served = s.String()
	}
	if address, _ := traits.Parse(k.Arguments).Arg("url"); k.Traits.Reaches && address != nil {
		if u, err := url.Parse(fmt.Sprint(address)); err == nil && u.Host != "" {
			d.Hosts = []string{u.Host}
		}
	}
	if k.Preview.Service != "" {
		d.Hosts = []string{k.Preview.Service}
	}
	return d
}

// profile names the confinement of a command.
func (r *runner) profile(k *call) string {
	switch {
	case k.Preview.Outside != "":
		return "outside"
	case k.Preview.Sandboxed:
		return "sandbox"
	}
	return "none"
}

// wrote lists the files of a change with their hashes. unlisted is set if there may be more.
func (r *runner) wrote(change snapshot.Mark) (files []history.Wrote, unlisted bool) {
	changes, all := r.env.Snapshots.Files(change)
	for _, f := range changes {
		files = append(files, history.Wrote{Path: f.Path, Before: hashIn(f.Before), After: hashIn(f.After)})
	}
	return files, !all
}

// hashIn returns the hash of a file's content, "" for none and "?" for one that is not known.
func hashIn(s snapshot.State) string {
	switch {
	case s.Kind == snapshot.Missing:
		return ""
	case s.Sum == "":
		return "?"
	}
	return s.Sum
}

// decided returns the person's decision about a call, for the record.
func decided(d Decision, answered bool, a gate.Approval) *history.Asked {
	asked := &history.Asked{By: "person", Answer: "allowed"}
	switch {
	case !answered:
		asked.Answer = "unanswered"
	case !d.Allow:
		asked.Answer, asked.Rule = "refused", d.Reason
	case d.Keep:
		asked.Rule = "for good: " + a.Kept
	case d.Always:
		asked.Rule = "for the session: " + a.Always
	}
	return asked
}

// hostOf returns the host of the model server in use.
func hostOf(s *settings.Settings) string {
	if u, err := url.Parse(settings.BaseURL.Of(s)); err == nil {
		return u.Host
	}
	return ""
}
