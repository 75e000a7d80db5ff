import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, inject, it } from 'vitest'
import { describeInBrowser, useBrowser } from './browser.ts'
import { emptyPage, pageWithLink, silence, stalledBody } from './clients/cases/case.ts'
import type { Driver, Job } from './clients/drivers/job.ts'
import { type Fate, relay } from './clients/relay.ts'

const { newPage } = useBrowser()

const html = '<!doctype html><title>A page that uses the client</title><link rel="icon" href="data:,">'

const bundled = build({
  entryPoints: [fileURLToPath(new URL('./clients/drivers/typescript.ts', import.meta.url))],
  bundle: true,
  format: 'iife',
  globalName: 'client',
  write: false,
})

/** Runs the calls in a page of the server that the client calls, and gives the report and the requests. */
const drive = async (fates: readonly Fate[], calls: Job['calls'], options: Partial<Job['options']> = {}) => {
  const blank: Fate = { status: 200, headers: { 'Content-Type': 'text/html' }, body: html }
  const { origin, baseUrl, seen } = await relay(inject('apiUrl'), (nth) =>
    nth === 1 ? blank : (fates.at(nth - 2) ?? fates.at(-1) ?? 'pass'),
  )
  const page = await newPage()
  await page.goto(origin)
  await page.addScriptTag({ content: (await bundled).outputFiles[0]?.text ?? '' })
  const job: Job = { options: { baseUrl, apiKey: 'pet_test_secret', ...options }, calls }
  const report = await page.evaluate(
    (todo) =>
      (globalThis as typeof globalThis & { client: { typescriptDriver: Driver } }).client.typescriptDriver.drive(todo),
    job,
  )
  return { ...report, requests: seen.slice(1).map(({ method, url }) => `${method} ${url}`) }
}

const creation: Job['calls'] = [{ create: { name: 'Bella', categoryId: '9007199254740993' } }]

describeInBrowser('the TypeScript client in a browser', () => {
  it('does not follow a redirect, whose status the browser hides', async () => {
    const other = await relay(inject('apiUrl'), () => 'pass')
    const redirect: Fate = { status: 307, headers: { Location: `${other.baseUrl}/pets` } }
    const { outcomes, requests } = await drive([redirect], [{ page: {} }, ...creation])
    expect(outcomes).toMatchObject(Array(2).fill({ error: { kind: 'response', status: 0, code: null } }))
    expect(requests).toEqual(['GET /v1/pets', 'POST /v1/pets'])
    expect(other.seen).toEqual([])
  })

  it('refuses a Link to another origin', async () => {
    const other = await relay(inject('apiUrl'), () => 'pass')
    const { outcomes } = await drive([pageWithLink(`<${other.baseUrl}/pets>; rel="next"`)], [{ pets: {} }])
    expect(outcomes).toMatchObject([{ error: { kind: 'refused' } }])
    expect(other.seen).toEqual([])
  })

  it('follows a Link, also with a base URL that is relative to the page', async () => {
    const fates = [pageWithLink('</v1/pets?cursor=a>; rel="next"'), emptyPage]
    const { outcomes, requests } = await drive(fates, [{ pets: {} }], { baseUrl: '/v1' })
    expect(outcomes).toEqual([{ pets: [] }])
    expect(requests).toEqual(['GET /v1/pets?limit=100', 'GET /v1/pets?cursor=a'])
  })

  it.each([
    ['a silent server', silence],
    ['a stalled body', stalledBody],
  ])('ends and retries its attempts at %s', async (_title, fate) => {
    const { outcomes, requests, waits } = await drive([fate], creation, { timeoutSeconds: 0.5, attempts: 2 })
    expect(outcomes).toEqual([{ error: { kind: 'time-out' } }])
    expect(requests).toEqual(['POST /v1/pets', 'POST /v1/pets'])
    expect(waits).toHaveLength(1)
  })
})
