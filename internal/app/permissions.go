package app

import (
	"encoding/json"
	"fmt"

	"agent/internal/gate"
	"agent/internal/rawjson"
	"agent/internal/rules"
	"agent/internal/session"
	"agent/internal/setup/consent"
	"agent/internal/setup/source"
	"agent/internal/words"
)

// keepPermissions arranges that granted permissions are kept: session grants in the record, and
// project grants in the configuration. A conversation in a scratch folder, such as the demo,
// keeps no project grants.
func (c *Conversation) keepPermissions(policy *gate.Policy, where source.Where) {
	policy.ParseRule, policy.OnGrants = c.registry.ParseRule, c.recordGrants
	if c.options.Record.Folder != "" {
		return
	}
	if permissions := consent.OpenPermissions(where, c.process.Now); permissions != nil {
		policy.Keeper = permissions
	}
}

// recordGrants records the permissions that a person has granted for the session.
func (c *Conversation) recordGrants(grants []rules.Kept) {
	if c.session == nil {
		return
	}
	text, err := rawjson.Marshal(append([]rules.Kept{}, grants...))
	if err == nil {
		err = c.session.Grants(text)
	}
	c.logged(err)
}

// restoreGrants restores the permissions of the resumed session. A fork starts without them, and
// so does a session that continues in another folder.
func (c *Conversation) restoreGrants(recorded session.State) {
	if len(recorded.Grants) == 0 {
		return
	}
	var grants []rules.Kept
	err := json.Unmarshal(recorded.Grants, &grants)
	if err != nil || c.options.Record.Fork || recorded.Workspace != c.workspace.Root() {
		c.recordGrants(nil)
		return
	}
	if n := c.consent.Restore(grants); n > 0 {
		c.Notices = append(c.Notices, fmt.Sprintf("What you allowed with \"always\" holds again: %s (/approval lists and takes back).", words.Count(n, "permission")))
	}
}

// endGrants revokes the permissions that a person granted for the session.
func (c *Conversation) endGrants() {
	c.consent.Restore(nil)
	c.recordGrants(nil)
}
