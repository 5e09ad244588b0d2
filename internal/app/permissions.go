package app

import (
	"encoding/json"
	"fmt"

	"agent/internal/base/humanize"
	"agent/internal/extend/setup/consent"
	"agent/internal/gate"
	"agent/internal/rules"
)

// consentOf returns the consent of a conversation, with the rules of the flags. It stores session
// permissions in the record, and project permissions in the configuration. A conversation in a scratch
// folder, such as the demo, stores none for the project.
func consentOf(at *place, rec *record) *gate.Consent {
	policy := at.policy
	policy.OnGrants = rec.grants
	if permissions := consent.OpenPermissions(at.where, at.process.Now); permissions != nil && at.options.Record.Folder == "" {
		policy.Keeper = permissions
	}
	return gate.NewConsent(&policy, at.settings)
}

// restoreGrants restores the permissions of the resumed session, and returns a notice about them. A fork
// starts without permissions, and so does a session that continues in another folder.
func restoreGrants(to *gate.Consent, rec *record) (notice string) {
	recorded := rec.resumed
	if len(recorded.Grants) == 0 {
		return ""
	}
	var grants []rules.Permission
	err := json.Unmarshal(recorded.Grants, &grants)
	if err != nil || rec.how.Fork || recorded.Workspace != rec.at.workspace.Root() {
		rec.grants(nil)
		return ""
	}
	if n := to.Restore(grants); n > 0 {
		return fmt.Sprintf("Active: %s. To list or revoke them, type /approval", humanize.Count(n, "permanent permission"))
	}
	return ""
}
