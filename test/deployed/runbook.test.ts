import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import policy from '../../infra/operations/operator-policy.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import { hashApiKey } from '../../shared/api-keys/api-key.ts'
import { isDeployed, type Reached, reach, target } from './environments.ts'
import { type Permission, startRecorder } from './recorder.ts'
import { type Run, runNode } from './run.ts'

const guide = readFileSync(new URL('../../infra/README.md', import.meta.url), 'utf8')

/** The commands of the guide that work on an environment on AWS, each once, with what follows the script's name. */
const commands = [
  ...new Set(
    [
      ...guide.matchAll(
        /npm run (?:--silent )?((?:keys|pets|seed|smoke) -- [^\n`|]*--env (?:staging|production)[^\n`|]*)/g,
      ),
    ].map(([, command = '']) => command.trim()),
  ),
].toSorted((one, other) => rank(one) - rank(other))

/** A key must be there to be shown or moved, and pets to be written to a file, before all are taken away. */
function rank(command: string): number {
  return ['revoke --all', 'revoke', ''].findIndex((part) => command.includes(part)) * -1
}

/** The emulator has no Logs Insights; test/unit/infra/operations/keys/usage.test.ts has its protocol. */
const notOnEmulator = ['logs:StartQuery', 'logs:GetQueryResults']

const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-runbook-'))

/** Whether a policy's text with asterisks is that of a call. */
const covers = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(text)

const isAllowed = ({ action, resource }: Permission): boolean =>
  policy.Statement.some(
    ({ Action, Resource }) =>
      [Action].flat().includes(action) && [Resource].flat().some((pattern) => covers(pattern, resource)),
  )

/** A key that is banned, as `unban` needs it. */
const bannedKey = async ({ administration, table }: Reached): Promise<string> => {
  const { apiKey, record } = await administration.issue({
    ...{ owner: 'runbook', plan: 'free', allowance: { perMinute: 60, perDay: 1_000 } },
  })
  await table.change(hashApiKey(apiKey), { bannedUntil: Math.floor(Date.now() / 1_000) + 600 })
  return record.keyId
}

describe.skipIf(!isDeployed)('the guide of operators', () => {
  it('has commands that work, and a policy that allows what they call and nothing else', {
    timeout: 300_000,
  }, async () => {
    await using staging = await reach('staging')
    await using production = await reach('production')
    await using recorder = await startRecorder(target().variables['AWS_ENDPOINT_URL'] ?? '')
    const run = async (words: readonly string[]): Promise<Run> => {
      const [script = '', , ...rest] = words
      const file =
        Object.entries(packageJson.scripts)
          .find(([name]) => name === script)?.[1]
          .split(' ')
          .slice(1) ?? []
      return runNode([...file, ...rest], { AWS_ENDPOINT_URL: recorder.endpoint })
    }
    const backup = join(folder, 'backup.jsonl')
    const added = await fetch(`${production.baseUrl}/pets`, { method: 'POST', ...(await aPet(production)) })
    const { id } = (await added.json()) as { id: number }
    const inProduction = ['--env', 'production', '--confirm', 'production']
    // What the guide shows on the local environment.
    const before = [
      `keys -- issue --env staging --plan free --owner runbook`,
      `keys -- rotate ${await bannedKey(production)} --env production`,
      `pets -- export --env production --out ${backup}`,
      `pets -- set ${id} --status sold ${inProduction.join(' ')}`,
      `pets -- remove ${id} --yes ${inProduction.join(' ')}`,
    ]
    expect(commands.length).toBeGreaterThan(8)
    for (const command of [
      ...before,
      ...commands,
      'seed -- --env staging --remove',
      'smoke -- --env staging --clean',
    ]) {
      if (command.includes('keys -- usage')) continue
      const words = command
        .replace(/\bID\b/, command.includes(' ID ') ? await bannedKey(production) : '')
        .replace('PLAN', 'pro')
        .replace(' backup.jsonl', ` ${backup}`)
        .replace('100000', '100')
        .split(' ')
      // The suite itself has a test of its own, and takes most of a minute.
      const more =
        words[0] !== 'smoke' || words.includes('--clean')
          ? []
          : ['--read-only', '--url', words.includes('staging') ? staging.baseUrl : production.baseUrl]
      const { exitCode, output, errors } = await run([...words, ...more])
      expect({ command, exitCode, output, errors }).toMatchObject({ exitCode: 0 })
    }

    expect(recorder.permissions.filter((permission) => !isAllowed(permission))).toEqual([])
    const used = new Set([...recorder.permissions.map(({ action }) => action), ...notOnEmulator])
    expect(policy.Statement.flatMap(({ Action }) => Action).filter((action) => !used.has(action))).toEqual([])
  })
})

const aPet = async ({ administration }: Reached) => {
  const allowance = { perMinute: 60, perDay: 1_000 }
  const { apiKey } = await administration.issue({ owner: 'runbook', plan: 'free', allowance })
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
  return { headers, body: '{"name":"Bella","categoryId":1}' }
}
