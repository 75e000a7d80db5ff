import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

interface Step {
  /** A command. */
  readonly run?: string
  /** An action, with the commit of its version. */
  readonly uses?: string
}

const readProjectFile = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const readJobs = (workflow: string) => parse(readProjectFile(`.github/workflows/${workflow}.yml`)).jobs

/** Lists the commands and the actions of a job, in their order. */
const listSteps = (job: { readonly steps: readonly Step[] }): string[] =>
  job.steps.map(({ run, uses = '' }) => run ?? uses.replace(/@.*/, ''))

const { synth, staging, production } = readJobs('deploy')
const { deploy, smoke } = readJobs('deploy-environment')

it('templates are synthesized on main without credentials', () => {
  expect(synth.if).toBe("github.ref == 'refs/heads/main'")
  expect(synth.permissions).toMatchObject({ contents: 'read' })
  expect(synth.permissions).not.toHaveProperty('id-token')
  expect(listSteps(synth).slice(-4)).toEqual([
    'npm ci --no-audit --no-fund',
    'npm run synth',
    'npm run synth -- -c production.release=all-at-once',
    'actions/upload-artifact',
  ])
})

it('a release is deployed to staging before production', () => {
  expect(synth.needs).toBe('check')
  expect(staging.needs).toBe('synth')
  expect(staging.with.environment).toBe('staging')
  expect(production.needs).toBe('staging')
  expect(production.with.environment).toBe('production')
})

it('only the deployment itself runs with credentials, and it deploys the templates of the job synth', () => {
  expect(listSteps(deploy).slice(-4)).toEqual([
    'npm ci --no-audit --no-fund',
    'actions/download-artifact',
    'aws-actions/configure-aws-credentials',
    `npx cdk deploy --app cdk.out --build '' "$ENVIRONMENT/*" --require-approval never`,
  ])
})

it('the smoke test has a role of its own', () => {
  expect(smoke.needs).toBe('deploy')
  expect(smoke.environment).toBe(`${deploy.environment}-smoke`)
})

it('the smoke test of production only reads', () => {
  expect(production.with.smoke).toContain('--read-only')
})

it('every action is pinned by a commit', () => {
  const workflows = readdirSync(new URL('../../.github/workflows', import.meta.url))
  const texts = workflows.map((file) => readProjectFile(`.github/workflows/${file}`))

  // A local workflow begins with a dot, and has no commit of its own.
  const actions = [...texts.join('\n').matchAll(/uses: ([^.\s]\S+)/g)].map(([, action = '']) => action)

  expect(actions.length).toBeGreaterThan(5)
  for (const action of actions) expect(action).toMatch(/@[0-9a-f]{40}$/)
})

it('the nightly workflow runs exactly the commands of test/README.md that name a size', () => {
  const guide = readProjectFile('test/README.md')
  const guideCommands = [...guide.matchAll(/`(PET_\w+=\d+ npm test -- \S+)`/g)].map(([, command]) => command)

  const nightlyCommands = listSteps(readJobs('nightly').sizes).filter((step) => step.startsWith('PET_'))

  expect(guideCommands.length).toBeGreaterThan(4)
  expect(nightlyCommands).toEqual(guideCommands)
})
