package settings

// The values of Sandbox.
const (
	SandboxAuto    = "auto"
	SandboxOff     = "off"
	SandboxRequire = "require"
)

// The settings of the sandbox for commands, and of the files and variables that they may use in it.
var (
	Sandbox = Declare("sandbox", Enum(SandboxAuto, SandboxOff, SandboxRequire), SandboxAuto,
		"whether commands run in a sandbox; require: don't start without one")
	Shell = Declare("shell", Enum("auto", "bash", "pwsh", "powershell", "cmd"), "auto",
		"shell for commands; auto: bash, or on Windows the first of Git's bash, pwsh, powershell and cmd")
	SandboxAllowWrite = Optional("sandbox.allow-write", List("comma-separated paths"), "only the workspace and a temporary folder",
		"additional folders and files that sandboxed commands may write")
	SandboxDenyRead = Optional("sandbox.deny-read", List("comma-separated paths"), "only the known locations of credentials",
		"additional files and folders that sandboxed commands can't read")
	SandboxAllowRead = Optional("sandbox.allow-read", List("comma-separated paths"), "only secret files that git tracks",
		"secret files of the workspace, such as .env, that sandboxed commands may read")
	SandboxAllowNetwork = Declare("sandbox.allow-network", Bool(), false,
		"whether sandboxed commands have network access")
	SandboxAllowEnv = Optional("sandbox.allow-env", List("comma-separated variable names"), "only variables that don't look secret",
		"variables to pass to commands although they look secret")
)
