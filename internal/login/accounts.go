package login

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// An Account is a kind of account that people have with a vendor. To add one, add a value.
type Account struct {
	// Name is what users type, and the name of the provider that the account is with. Title is
	// the vendor's own spelling.
	Name, Title string
	// Why says why there is no login, "" if there is one. Instead says which other ways there are.
	Why, Instead string
	// Note is a line for whoever logs in, "" for none.
	Note string

	// keys is where a vendor makes a key for whoever logs in at authorize; "" for all others.
	keys string
	// authorize is where a user agrees in a browser, device where a code for another device is
	// given, token where tokens are, revoke where they are given back. "" stands for nothing.
	authorize, device, token, revoke string
	scope                            string
	// more has further parameters of authorize.
	more map[string]string
	// proof is set if the device flow wants a code verifier (RFC 7636).
	proof bool
	// codes is set if the device flow is OpenAI's own instead of RFC 8628.
	codes *codeFlow
	// exchange is the address that exchanges the token for one that lasts minutes, and whoami the
	// address that tells the name of the account.
	exchange, whoami string
	// domains lists the domains whose hosts get the tokens, besides the hosts of the addresses.
	domains []string
	// claims returns the headers that go with the claims of an ID token; nil adds none.
	claims func(claims map[string]any) map[string]string
	// limits reads the limits of a subscription from the headers of a reply; nil if replies tell
	// nothing of them.
	limits func(header http.Header, now time.Time) []Window
}

const notRegistered = "the vendor has not registered agent as a client (use your own with --client-id ID)"

var accounts = []Account{
	{
		Name: "openrouter", Title: "OpenRouter", authorize: "https://openrouter.ai/auth", keys: "https://openrouter.ai/api/v1/auth/keys",
	},
	{
		Name: "github-copilot", Title: "GitHub Copilot",
		Instead: "a key of another vendor, such as agent login openrouter --oauth",
		device:  "https://github.com/login/device/code", token: "https://github.com/login/oauth/access_token", scope: "read:user",
		exchange: "https://api.github.com/copilot_internal/v2/token", whoami: "https://api.github.com/user",
		domains: []string{"githubcopilot.com"}, limits: copilotLimits,
	},
	{
		Name: "chatgpt", Title: "ChatGPT",
		Instead:   "a key (agent login openai), or agent login openrouter --oauth",
		Note:      "OpenAI allows other programs to use a ChatGPT account, but has published no contract for them.",
		authorize: "https://auth.openai.com/oauth/authorize", token: "https://auth.openai.com/oauth/token", revoke: "https://auth.openai.com/oauth/revoke",
		device: "https://auth.openai.com/api/accounts/deviceauth/usercode",
		codes: &codeFlow{
			page: "https://auth.openai.com/codex/device", ask: "https://auth.openai.com/api/accounts/deviceauth/token", returns: "https://auth.openai.com/deviceauth/callback",
		},
		scope: "openid profile email offline_access", more: map[string]string{"id_token_add_organizations": "true"},
		domains: []string{"chatgpt.com"}, claims: chatGPTHeaders, limits: chatGPTLimits,
	},
	{
		Name: "xai", Title: "xAI", Instead: "a key (agent login xai)",
		device: "https://auth.x.ai/oauth2/device/code", token: "https://auth.x.ai/oauth2/token", scope: "openid profile email offline_access api:access", proof: true,
		domains: []string{"api.x.ai"},
	},
	{
		Name: "qwen", Title: "Qwen", Instead: "a key (agent login alibaba)",
		device: "https://chat.qwen.ai/api/v1/oauth2/device/code", token: "https://chat.qwen.ai/api/v1/oauth2/token", scope: "openid profile email model.completion", proof: true,
		domains: []string{"portal.qwen.ai"},
	},
	{
		Name: "kimi", Title: "Kimi", Instead: "a key (agent login moonshot)",
		device: "https://auth.kimi.com/api/oauth/device_authorization", token: "https://auth.kimi.com/api/oauth/token",
		domains: []string{"api.kimi.com"},
	},
	{Name: "claude", Title: "Claude Pro and Max", Why: "Anthropic does not allow it for other programs", Instead: "a key (agent login anthropic), or Claude through OpenRouter (agent login openrouter --oauth), --provider bedrock or --provider vertex"},
	{Name: "gemini", Title: "Gemini with a Google account", Why: "Google does not allow it for other programs", Instead: "a key (agent login gemini), or --provider vertex"},
}

// Accounts returns all accounts, those without a login too.
func Accounts() []Account { return slices.Clone(accounts) }

// AccountNamed returns the account with a name; anthropic is that of Claude, openai that of
// ChatGPT.
func AccountNamed(name string) (Account, bool) {
	for other, own := range map[string]string{"anthropic": "claude", "openai": "chatgpt", "copilot": "github-copilot", "moonshot": "kimi", "alibaba": "qwen"} {
		if name == other {
			name = own
		}
	}
	i := slices.IndexFunc(accounts, func(a Account) bool { return a.Name == name })
	if i < 0 {
		return Account{}, false
	}
	return accounts[i], true
}

// CreatesAPIKey reports whether the vendor makes a key for whoever logs in, which is then kept like any
// other.
func (a Account) CreatesAPIKey() bool { return a.keys != "" }

// UsesDeviceCode reports whether a user can log in by a code that they type on any device.
func (a Account) UsesDeviceCode() bool { return a.device != "" }

// Refused returns an error if there is no login to the account, or none without a client id and
// clientID is "".
func (a Account) Refused(clientID string) error {
	switch {
	case a.Why != "":
		return &RefusedError{a}
	case a.keys == "" && clientID == "":
		a.Why = notRegistered
		return &RefusedError{a}
	}
	return nil
}

// RefusedError is the error that there is no login to an account.
type RefusedError struct{ Account Account }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("can't log in to %s: %s. Use instead: %s", e.Account.Title, e.Account.Why, e.Account.Instead)
}

// At returns the account at another host of the vendor, such as a GitHub Enterprise.
func (a Account) At(host string) (Account, error) {
	if a.exchange == "" {
		return a, fmt.Errorf("%s has only one host. Remove --host", a.Title)
	}
	if !hostName.MatchString(host) {
		return a, fmt.Errorf("%q is not a host name such as example.ghe.com", host)
	}
	for _, address := range []*string{&a.device, &a.token, &a.exchange, &a.whoami} {
		*address = strings.Replace(*address, "github.com", host, 1)
	}
	a.domains = append(slices.Clone(a.domains), host)
	return a, nil
}

// trustsHost reports whether a host may get the tokens of the account.
func (a Account) trustsHost(host string) bool {
	return slices.ContainsFunc(a.domains, func(domain string) bool {
		return host == domain || strings.HasSuffix(host, "."+domain)
	})
}

// chatGPTHeaders names the account that a user has chosen.
func chatGPTHeaders(claims map[string]any) map[string]string {
	about, _ := claims["https://api.openai.com/auth"].(map[string]any)
	id, _ := about["chatgpt_account_id"].(string)
	if id == "" || checkKey(id) != nil {
		return nil
	}
	return map[string]string{"ChatGPT-Account-Id": id}
}
