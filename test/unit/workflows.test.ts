import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

const textOf = (file: string): string =>
  readFileSync(new URL(`../../.github/workflows/${file}`, import.meta.url), 'utf8')

const { synth, staging, production } = parse(textOf('deploy.yml')).jobs
const { deploy, smoke } = parse(textOf('deploy-environment.yml')).jobs

/** The place of a step among those of a job. */
const placeOf = (job: { readonly steps: readonly { readonly run?: string; readonly uses?: string }[] }, part: string) =>
  job.steps.findIndex(({ run = '', uses = '' }) => `${run} ${uses}`.includes(part))

it('templates are made of main without credentials, and deployed as they were made, to staging first', () => {
  expect(synth).toMatchObject({ if: "github.ref == 'refs/heads/main'", permissions: { contents: 'read' } })
  expect(synth.permissions).not.toHaveProperty('id-token')
  expect([synth, staging, production].map(({ needs }) => needs)).toEqual(['check', 'synth', 'staging'])
  expect([staging, production].map((job) => job.with.environment)).toEqual(['staging', 'production'])
  expect(placeOf(synth, 'upload-artifact')).toBeGreaterThan(placeOf(synth, 'npm run synth -- '))
  expect([placeOf(deploy, 'synth'), placeOf(deploy, 'npm ci') > -1, placeOf(deploy, 'download-artifact') > -1]).toEqual(
    [...[-1, true, true]],
  )
  const deployed = placeOf(deploy, "npx cdk deploy --app cdk.out --build ''")
  expect(placeOf(deploy, 'npm ci')).toBeLessThan(placeOf(deploy, 'configure-aws-credentials'))
  // Nothing runs with the credentials but this.
  expect(deployed).toBe(placeOf(deploy, 'configure-aws-credentials') + 1)
  expect(deploy.steps).toHaveLength(deployed + 1)
})

it('the smoke test has a role of its own, and only reads in production', () => {
  expect(smoke).toMatchObject({ needs: 'deploy', environment: `${deploy.environment}-smoke` })
  expect(production.with.smoke).toContain('--read-only')
})

it.each(['check.yml', 'deploy.yml', 'deploy-environment.yml', 'nightly.yml'])(
  'every action of %s is pinned by a commit',
  (file) => {
    const used = [...textOf(file).matchAll(/uses: ([^.\s]\S+)/g)].map(([, action]) => action)
    expect(used.filter((action = '') => !/@[0-9a-f]{40}$/.test(action))).toEqual([])
  },
)
