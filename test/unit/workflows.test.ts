import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const jobsOf = (workflow: string) => parse(read(`.github/workflows/${workflow}.yml`)).jobs

const { synth, staging, production } = jobsOf('deploy')
const { deploy, smoke } = jobsOf('deploy-environment')

/** What the steps of a job run, in turn. */
const stepsOf = (job: { readonly steps: readonly { readonly run?: string; readonly uses?: string }[] }) =>
  job.steps.map(({ run, uses = '' }) => run ?? uses.replace(/@.*/, ''))

it('templates are made of main without credentials, and deployed as they were made, to staging first', () => {
  expect(synth).toMatchObject({ if: "github.ref == 'refs/heads/main'", permissions: { contents: 'read' } })
  expect(synth.permissions).not.toHaveProperty('id-token')
  expect([synth, staging, production].map(({ needs }) => needs)).toEqual(['check', 'synth', 'staging'])
  expect([staging, production].map((job) => job.with.environment)).toEqual(['staging', 'production'])
  expect(stepsOf(synth).slice(-4)).toEqual([
    'npm ci --no-audit --no-fund',
    'npm run synth',
    'npm run synth -- -c production.release=all-at-once',
    'actions/upload-artifact',
  ])
  // Nothing but the last runs with the credentials.
  expect(stepsOf(deploy).slice(-4)).toEqual([
    'npm ci --no-audit --no-fund',
    'actions/download-artifact',
    'aws-actions/configure-aws-credentials',
    `npx cdk deploy --app cdk.out --build '' "$ENVIRONMENT/*" --require-approval never`,
  ])
})

it('the smoke test has a role of its own, and only reads in production', () => {
  expect(smoke).toMatchObject({ needs: 'deploy', environment: `${deploy.environment}-smoke` })
  expect(production.with.smoke).toContain('--read-only')
})

it('every action is pinned by a commit', () => {
  const workflows = readdirSync(new URL('../../.github/workflows', import.meta.url))
  const used = workflows.flatMap((file) => [...read(`.github/workflows/${file}`).matchAll(/uses: ([^.\s]\S+)/g)])
  expect(used.length).toBeGreaterThan(5)
  expect(used.map(([, action = '']) => action).filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([])
})

it('each night runs the commands of test/README.md with the sizes, and no others', () => {
  const named = [...read('test/README.md').matchAll(/`(PET_\w+=\d+ npm test -- \S+)`/g)].map(([, command]) => command)
  expect(named.length).toBeGreaterThan(4)
  expect(stepsOf(jobsOf('nightly').sizes).filter((step) => step.startsWith('PET_'))).toEqual(named)
})
