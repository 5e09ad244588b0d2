package protect

import (
	"path/filepath"
	"strings"
	"sync"
)

// secretNames lists names of secret files, which are protected in any folder.
var secretNames = []group{
	{why: "it contains keys or passwords", care: AlwaysNeedsApproval, names: []string{
		".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".git-credentials", ".pypirc", ".dockercfg", ".docker/config.json",
		".config/gcloud", ".config/gh", ".config/hub", ".config/git/credentials", ".vault-token", "authorized_keys",
		"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "id_xmss",
	}},
	{why: "it may hold keys or passwords", care: NeedsApproval, names: []string{
		".env", ".env.*", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.kdbx", "*.gpg", ".htpasswd", ".npmrc", ".terraformrc", "credentials.json",
	}},
	{why: "it may hold the password of a git remote", care: NeedsApproval, names: []string{".git/config"}},
}

// publicEnds lists suffixes of names that make a file public although its name looks like a secret
// file's, such as .env.example.
var publicEnds = []string{".example", ".sample", ".template", ".dist", ".defaults", ".tpl", ".pub", "example.env", "sample.env", "template.env"}

// isPublic reports whether the suffix of a file's name marks it as public.
func isPublic(name string) bool {
	for _, end := range publicEnds {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// SecretFiles returns the usual paths of secret files below home, except paths with patterns.
func SecretFiles(home string) []string {
	var paths []string
	for _, g := range secretNames {
		for _, name := range g.names {
			if home != "" && !strings.Contains(name, "*") {
				paths = append(paths, filepath.Join(home, name))
			}
		}
	}
	return paths
}

// homeSecrets lists paths below the home folder that contain keys, passwords, sessions or a history
// of typed commands.
var homeSecrets = []string{
	".ssh", ".gnupg", ".pki", ".password-store", ".local/share/keyrings", ".local/share/kwalletd",
	".aws", ".azure", ".oci", ".config/gcloud", ".config/doctl", ".config/hcloud", ".terraform.d/credentials.tfrc.json",
	".kube", ".docker/config.json", ".config/containers/auth.json", ".config/helm",
	".netrc", "_netrc", ".pgpass", ".my.cnf", ".git-credentials", ".config/git/credentials", ".config/gh", ".config/glab-cli", ".config/hub",
	".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".config/pypoetry/auth.toml", ".gem/credentials", ".bundle/config", ".composer/auth.json",
	".cargo/credentials", ".cargo/credentials.toml", ".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties", ".nuget/NuGet/NuGet.Config",
	".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge", ".config/vivaldi", ".config/opera",
	".bash_history", ".zsh_history", ".local/share/fish/fish_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history", ".sqlite_history", ".lesshst",
	".local/share/atuin", ".config/nushell/history.txt", ".config/nushell/history.sqlite3", ".local/share/zsh", ".irb_history", ".rediscli_history", ".dbshell",
	".claude", ".claude.json", ".codex", ".gemini", ".config/github-copilot", ".config/op", ".config/Bitwarden CLI",
	".local/share/opencode", ".pi", ".qwen", ".config/crush", ".local/share/crush", ".config/goose", ".local/share/goose", ".cursor", ".aider", ".continue", ".codeium", ".config/amp", ".factory",
	".vault-token", ".config/sops", ".config/age", ".config/rclone", ".cache/huggingface/token", ".huggingface", ".s3cfg", ".boto", ".databrickscfg", ".kaggle", ".fly", ".config/fly", ".snowflake", ".config/stripe", ".config/ngrok", ".ngrok2", ".config/heroku", ".config/netlify", ".vercel", ".local/share/com.vercel.cli",
	".wrangler", ".config/.wrangler", ".config/pulumi", ".pulumi/credentials.json", ".config/configstore", ".config/solana", ".ethereum", ".bitcoin", ".electrum", ".config/Signal", ".config/Slack", ".config/discord", ".config/1Password", ".config/keepassxc", ".config/exercism", ".config/rclone.conf", ".config/tea", ".config/sourcehut", ".config/hcp",
	".config/Code/User/globalStorage", ".config/Cursor/User/globalStorage", ".config/VSCodium/User/globalStorage", ".vscode-server/data/User/globalStorage",
	"snap/firefox", "snap/chromium", "snap/brave", ".var/app/org.mozilla.firefox", ".var/app/org.chromium.Chromium", ".var/app/com.google.Chrome", ".var/app/com.brave.Browser", ".var/app/org.mozilla.Thunderbird", ".librewolf", ".waterfox",
	".Xauthority", ".ICEauthority", ".config/rbw", ".local/share/rbw", ".config/msmtp", ".msmtprc", ".mbsyncrc", ".offlineimaprc", ".fetchmailrc", ".muttrc", ".irssi", ".weechat", ".config/weechat", ".smbcredentials", ".config/filezilla", ".dbeaver", ".local/share/DBeaverData", ".cargo/registry/credentials", ".config/uv/credentials", ".local/share/uv/credentials",
	"AppData/Roaming/gcloud", "AppData/Roaming/GitHub CLI", "AppData/Roaming/glab-cli", "AppData/Roaming/gnupg", "AppData/Roaming/NuGet", "AppData/Roaming/Composer/auth.json", "AppData/Roaming/pypoetry/auth.toml", "AppData/Roaming/postgresql", "AppData/Roaming/doctl", "AppData/Roaming/rclone",
	"AppData/Roaming/Microsoft/Credentials", "AppData/Local/Microsoft/Credentials", "AppData/Roaming/Microsoft/Protect", "AppData/Roaming/Microsoft/Crypto", "AppData/Local/Microsoft/Vault", "AppData/Roaming/Microsoft/UserSecrets", "AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine", "NTUSER.DAT",
	"AppData/Local/Google/Chrome/User Data", "AppData/Local/Chromium/User Data", "AppData/Local/Microsoft/Edge/User Data", "AppData/Local/BraveSoftware", "AppData/Local/Vivaldi", "AppData/Roaming/Opera Software", "AppData/Roaming/Mozilla", "AppData/Local/Mozilla", "AppData/Roaming/Thunderbird",
	"AppData/Roaming/Code/User/globalStorage", "AppData/Roaming/Cursor/User/globalStorage", "AppData/Local/github-copilot", "AppData/Roaming/Claude", "AppData/Roaming/Signal", "AppData/Roaming/Slack", "AppData/Roaming/discord", "AppData/Local/1Password", "AppData/Roaming/Bitwarden", "AppData/Roaming/KeePassXC", "AppData/Roaming/FileZilla", "AppData/Roaming/Subversion/auth",
	"Library/Keychains", "Library/Cookies", "Library/Application Support/Google/Chrome", "Library/Application Support/Firefox", "Library/Safari",
}

// foldedHomeSecrets returns homeSecrets, each folded.
var foldedHomeSecrets = sync.OnceValue(func() []string {
	folded := make([]string, len(homeSecrets))
	for i, name := range homeSecrets {
		folded[i] = fold(name)
	}
	return folded
})

// systemSecrets lists paths, some with patterns, that contain keys of the system. A program that
// runs as root could read them.
var systemSecrets = []string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/ssh/ssh_host_*_key", "/etc/ssl/private", "/etc/krb5.keytab", "/etc/sudoers.d", "/etc/kubernetes", "/etc/rancher", "/var/lib/kubelet",
	"/run/secrets", "/var/run/secrets",
}

// SystemSecrets returns the files of the system that no confined command may read.
func SystemSecrets() []string {
	var paths []string
	for _, pattern := range systemSecrets {
		found, _ := filepath.Glob(pattern)
		paths = append(paths, found...)
	}
	return paths
}

// Secrets returns the paths that no confined command may read: the homeSecrets below home, and
// further paths such as the program's own files.
func Secrets(home string, further ...string) []string {
	var paths []string
	if home != "" {
		for _, name := range homeSecrets {
			paths = append(paths, filepath.Join(home, name))
		}
	}
	for _, path := range further {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}
