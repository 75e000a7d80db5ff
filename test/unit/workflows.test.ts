import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

interface Step {
  /** Condition. */
  readonly if?: string
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

const { synth, staging, production, hotfix } = readJobs('deploy')
const { diff, deploy, smoke } = readJobs('deploy-environment')

it('templates are synthesized on main without credentials', () => {
  expect(synth.if).toBe("github.ref == 'refs/heads/main'")
  expect(synth.permissions).toMatchObject({ contents: 'read' })
  expect(synth.permissions).not.toHaveProperty('id-token')
  expect(listSteps(synth).slice(-4)).toEqual([
    'npm ci --ignore-scripts --no-audit --no-fund',
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

it('a hotfix is deployed to production without waiting for staging', () => {
  expect(hotfix).toMatchObject({ needs: 'synth', if: "inputs.release == 'all-at-once'" })
  expect(hotfix.with).toEqual(production.with)
  expect(production.if).toBe("inputs.release != 'all-at-once'")
})

describe('the concurrency of releases', () => {
  it('a workflow as a whole has no concurrency group, so a release that waits holds up no other job', () => {
    expect(parse(readProjectFile('.github/workflows/deploy.yml'))).not.toHaveProperty('concurrency')
    expect(parse(readProjectFile('.github/workflows/deploy-environment.yml'))).not.toHaveProperty('concurrency')
  })

  it('each environment has a group of its own, and a hotfix another one', () => {
    const groups = [staging, production, hotfix].map(({ concurrency }) => concurrency)

    expect(groups).toEqual([
      { group: 'staging', 'cancel-in-progress': false },
      { group: 'production', 'cancel-in-progress': false },
      { group: 'production-hotfix', 'cancel-in-progress': false },
    ])
  })

  it('the check of a run by hand has a group of its own', () => {
    const { concurrency } = parse(readProjectFile('.github/workflows/check.yml'))

    expect(concurrency.group).toContain("github.event_name == 'workflow_dispatch' && github.run_id || github.ref")
  })
})

const environmentJobs = [
  { name: 'diff', job: diff },
  { name: 'deploy', job: deploy },
  { name: 'smoke', job: smoke },
]

it.each(environmentJobs)('no script of a package runs in the job $name, which may get credentials', ({ job }) => {
  const installations = listSteps(job).filter((step) => step.startsWith('npm '))

  expect(job.permissions).toMatchObject({ 'id-token': 'write' })
  expect(installations[0]).toBe('npm ci --ignore-scripts --no-audit --no-fund')
})

it('only the jobs of deploy-environment.yml may get credentials', () => {
  const workflows = readdirSync(new URL('../../.github/workflows', import.meta.url))
  const jobsWithCredentials = workflows.flatMap((file) => {
    const jobs: [string, { uses?: string; permissions?: Record<string, string> }][] = Object.entries(
      readJobs(file.replace('.yml', '')),
    )
    return jobs.filter(([, { uses, permissions }]) => uses === undefined && permissions?.['id-token'] === 'write')
  })

  expect(jobsWithCredentials.map(([name]) => name)).toEqual(['diff', 'deploy', 'smoke'])
})

it('reviewers see what a release changes before they approve it', () => {
  const commands = listSteps(diff).join('\n')

  expect(deploy.needs).toBe('diff')
  expect(commands).toContain(`npx cdk diff --app cdk.out --build '' "$ENVIRONMENT/*" --method template`)
  expect(commands).toContain('>> "$GITHUB_STEP_SUMMARY"')
})

it('the deployment deploys the templates of the job synth', () => {
  expect(listSteps(deploy).slice(-3)).toEqual([
    'actions/download-artifact',
    'aws-actions/configure-aws-credentials',
    `npx cdk deploy --app cdk.out --build '' "$ENVIRONMENT/*" --require-approval never`,
  ])
})

it('the diff and the test have another role than the deployment', () => {
  expect(deploy.environment).toMatch(/\{ inputs\.environment \}\}$/)
  expect(diff.environment).toBe(`${deploy.environment}-smoke`)
  expect(smoke).toMatchObject({ needs: 'deploy', environment: `${deploy.environment}-smoke` })
})

describe('the test of production', () => {
  const steps: readonly Step[] = smoke.steps
  const findStep = (text: string) => steps.find((step) => JSON.stringify(step).includes(text))

  it('the test of production only reads, before it has a role on AWS', () => {
    const names = listSteps(smoke)

    expect(production.with['read-only']).toBe(true)
    expect(findStep('--project e2e')).toMatchObject({ if: 'inputs.read-only', env: { PET_API_READ_ONLY: '1' } })
    expect(names.indexOf('npm test -- --project e2e')).toBeLessThan(
      names.indexOf('aws-actions/configure-aws-credentials'),
    )
  })

  it('the role of production-smoke may change nothing', () => {
    const policy = JSON.parse(readProjectFile('infra/operations/release-check-policy.json'))
    const actions = policy.Statement.flatMap(({ Action }: { readonly Action: string | string[] }) => Action)

    expect(actions).toEqual(['cloudformation:DescribeStacks', 'cloudformation:GetTemplate', 'sns:Publish'])
  })

  it('a test that fails says what to do', () => {
    const step = findStep('roll back')

    expect(step).toMatchObject({ if: 'failure()' })
    expect(step?.run).toContain('$GUIDE_URL#roll-back')
    expect(step?.run).toContain('>> "$GITHUB_STEP_SUMMARY"')
  })

  it('a test that fails tells whoever gets the alarms', () => {
    const step = findStep('sns publish')

    expect(step).toMatchObject({ if: "failure() && inputs.environment == 'production'" })
    expect(step?.run).toContain("OutputKey=='AlarmTopicArn'")
  })

  it('the links of the message lead to paragraphs of the guide', () => {
    const guide = readProjectFile('infra/README.md')

    expect(guide).toContain('\n## Roll back\n')
    expect(guide).toContain('\n### The test after a release fails\n')
  })
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
  const guideCommands = [...guide.matchAll(/`(PET_\w+=\d+ (?:TEST_ENGINES=all )?npm test -- \S+)`/g)].map(
    ([, command]) => command,
  )

  const nightlyCommands = listSteps(readJobs('nightly').sizes).filter((step) => step.startsWith('PET_'))

  expect(guideCommands.length).toBeGreaterThan(4)
  expect(nightlyCommands).toEqual(guideCommands)
})
