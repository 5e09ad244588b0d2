# Installs agent to %LOCALAPPDATA%\Programs\agent (or $env:BINDIR) from a release whose checksum is right.
#   install.ps1 [VERSION]      $env:AGENT_RELEASES overrides where releases are
# It has not run on a real Windows yet.
param([string]$Version)
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
[Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
$releases = if ($env:AGENT_RELEASES) { $env:AGENT_RELEASES } else { 'https://github.com/OWNER/agent/releases' }
$bindir = if ($env:BINDIR) { $env:BINDIR } else { Join-Path $env:LOCALAPPDATA 'Programs\agent' }
$processor = if ($env:PROCESSOR_ARCHITEW6432) { $env:PROCESSOR_ARCHITEW6432 } else { $env:PROCESSOR_ARCHITECTURE }
$arch = switch ($processor) { 'AMD64' { 'amd64' } 'ARM64' { 'arm64' } default { throw "install.ps1: there is no release for $processor" } }
$path = if ($Version) { 'download/v' + $Version.TrimStart('v') } else { 'latest/download' }
$work = Join-Path ([IO.Path]::GetTempPath()) ('agent-install-' + [Guid]::NewGuid())
New-Item -ItemType Directory -Path $work | Out-Null
try {
    $sums = Join-Path $work 'checksums.txt'
    Invoke-WebRequest -UseBasicParsing "$releases/$path/checksums.txt" -OutFile $sums
    $line = Get-Content -LiteralPath $sums | Where-Object { $_ -match "^[0-9a-f]{64}  agent_\S+_windows_$arch\.zip$" } | Select-Object -First 1
    if (-not $line) { throw "install.ps1: the release holds nothing for Windows on $arch" }
    $sum, $archive = $line -split '  ', 2
    $zip = Join-Path $work $archive
    Invoke-WebRequest -UseBasicParsing "$releases/$path/$archive" -OutFile $zip
    if ((Get-FileHash -Algorithm SHA256 -LiteralPath $zip).Hash -ne $sum) { throw "install.ps1: $archive is not what the release says; nothing was installed" }
    Expand-Archive -LiteralPath $zip -DestinationPath (Join-Path $work 'out')
    New-Item -ItemType Directory -Force -Path $bindir | Out-Null
    Copy-Item -Force -LiteralPath (Join-Path $work 'out\agent.exe') -Destination (Join-Path $bindir 'agent.exe')
} finally {
    Remove-Item -Recurse -Force -LiteralPath $work
}
Write-Output "installed $(& (Join-Path $bindir 'agent.exe') --version) in $bindir"
if (($env:PATH -split ';') -notcontains $bindir) { Write-Output "add it to your PATH: [Environment]::SetEnvironmentVariable('PATH', [Environment]::GetEnvironmentVariable('PATH', 'User') + ';$bindir', 'User')" }
