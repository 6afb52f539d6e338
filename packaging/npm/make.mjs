// Makes the packages for npm out of the archives of a release: one for each platform, with the
// programs, and @eaapl/handoff, which depends on them and starts the one that npm has installed.
//
//     node packaging/npm/make.mjs DIST OUT VERSION
//
// DIST has the archives; the packages that there is no archive for are left out. OUT is made.
// "npm pack" or "npm publish" then takes each folder of OUT. Nothing runs when they are installed.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [dist, out, version] = process.argv.slice(2);
if (!version) {
  console.error('usage: node make.mjs DIST OUT VERSION');
  process.exit(2);
}
const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const shared = {
  version,
  license: 'Apache-2.0',
  homepage: 'https://github.com/eaapl/handoff',
  repository: { type: 'git', url: 'git+https://github.com/eaapl/handoff.git' },
};

// The names of platforms: of archives, and of npm (process.platform, process.arch).
const systems = { linux: 'linux', darwin: 'darwin', windows: 'win32' };
const processors = { amd64: 'x64', arm64: 'arm64' };

function writePackage(folder, manifest) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2) + '\n');
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

const optionalDependencies = {};
for (const [system, os] of Object.entries(systems)) {
  for (const [processor, cpu] of Object.entries(processors)) {
    const zip = system === 'windows';
    const archive = resolve(dist, `handoff_${version}_${system}_${processor}.${zip ? 'zip' : 'tar.gz'}`);
    if (!existsSync(archive)) continue;
    const name = `@eaapl/handoff-${os}-${cpu}`;
    const folder = join(out, `handoff-${os}-${cpu}`);
    const bin = join(folder, 'bin');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(bin, { recursive: true });
    const programs = ['handoff', 'handoff-relay'].map((program) => (zip ? `${program}.exe` : program));
    if (zip) execFileSync('unzip', ['-q', archive, ...programs, '-d', bin]);
    else execFileSync('tar', ['-xzf', archive, '-C', bin, ...programs]);
    for (const program of programs) chmodSync(join(bin, program), 0o755);
    writePackage(folder, {
      name,
      description: `The programs of @eaapl/handoff for ${system} on ${processor}`,
      ...shared,
      os: [os],
      cpu: [cpu],
      files: ['bin'],
      preferUnplugged: true,
    });
    optionalDependencies[name] = version;
  }
}
if (Object.keys(optionalDependencies).length === 0) {
  console.error(`${dist}: there is no archive of version ${version}: run goreleaser first`);
  process.exit(1);
}

const folder = join(out, 'handoff');
rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, 'bin'), { recursive: true });
copyFileSync(join(here, 'handoff.js'), join(folder, 'bin', 'handoff.js'));
chmodSync(join(folder, 'bin', 'handoff.js'), 0o755);
copyFileSync(join(root, 'README.md'), join(folder, 'README.md'));
writePackage(folder, {
  name: '@eaapl/handoff',
  description: 'Build, validate, sign and compare the messages that AI agents hand to each other',
  ...shared,
  keywords: ['agents', 'handoff', 'llm', 'validation'],
  bin: { handoff: 'bin/handoff.js' },
  mcpName: 'io.github.eaapl/handoff', // the MCP registry compares it with server.json
  files: ['bin'],
  engines: { node: '>=18' },
  optionalDependencies,
});
