import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { environmentNames } from '../../infra/environments.ts'

interface Job {
  readonly needs?: string
  readonly if?: string
  readonly uses?: string
  readonly with?: Readonly<Record<string, string>>
  readonly environment?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps?: readonly { readonly run?: string; readonly uses?: string }[]
}

const jobsOf = (file: string): Readonly<Record<string, Job>> =>
  parse(readFileSync(new URL(`../../.github/workflows/${file}`, import.meta.url), 'utf8')).jobs

const { synth, ...others } = jobsOf('deploy.yml')
const { deploy, smoke } = jobsOf('deploy-environment.yml')

const indexOf = ({ steps = [] }: Job = {}, part: string): number =>
  steps.findIndex(({ run = '', uses = '' }) => `${run} ${uses}`.includes(part))

it('templates are made of main, without any credentials', () => {
  expect(synth).toMatchObject({ if: "github.ref == 'refs/heads/main'", permissions: { contents: 'read' } })
  expect(synth?.permissions).not.toHaveProperty('id-token')
  expect(synth).not.toHaveProperty('environment')
  expect(indexOf(synth, 'upload-artifact')).toBeGreaterThan(indexOf(synth, 'npm run synth'))
})

it.each(environmentNames)('one workflow deploys %s, after all that comes before it', (environment) => {
  expect(others[environment]).toMatchObject({
    needs: environment === 'staging' ? 'synth' : 'staging',
    uses: './.github/workflows/deploy-environment.yml',
    with: { environment },
  })
})

it('it deploys that assembly, and synthesizes nothing with credentials', () => {
  const credentials = indexOf(deploy, 'configure-aws-credentials')
  const deployed = indexOf(deploy, "npx cdk deploy --app cdk.out --build ''")
  expect([indexOf(deploy, 'npm ci') < credentials, credentials < deployed]).toEqual([true, true])
  expect(indexOf(deploy, 'download-artifact')).toBeGreaterThan(-1)
  expect(deploy?.steps).toHaveLength(deployed + 1)
})

it('the smoke test has a role of its own, and only reads in production', () => {
  expect(smoke).toMatchObject({ needs: 'deploy', environment: `${deploy?.environment}-smoke` })
  expect(others['production']?.with?.['smoke']).toContain('--read-only')
})

it('every action is pinned by a commit', () => {
  const used = [synth, deploy, smoke].flatMap((job) => job?.steps ?? []).flatMap(({ uses }) => uses ?? [])
  expect(used.length).toBeGreaterThan(5)
  for (const action of used) expect(action).toMatch(/@[0-9a-f]{40}$/)
})
