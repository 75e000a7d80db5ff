import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { listen } from '../../../../infra/local/gateway/server/listen.ts'
import { cacheControl, securityHeaders } from '../../../../infra/reference/security-headers.ts'
import { buildSite } from '../../../../infra/reference/site.ts'
import { authorize, describeInBrowser, execute, openOperation, useBrowser } from './browser.ts'

const { openReference } = useBrowser()

/** The site as it is deployed: on a host of its own, with the headers of every environment. */
const apiUrl = inject('apiUrl')
const files = new Map(buildSite({ baseUrl: apiUrl, environment: 'staging' }).map((file) => [file.path, file]))
const server = createServer((request, response) => {
  const file = files.get(request.url === '/' ? 'index.html' : (request.url ?? '').slice(1))
  if (file === undefined) {
    response.writeHead(404).end()
    return
  }
  const { contentType, caching, body } = file
  const headers = { 'Content-Type': contentType, 'Cache-Control': cacheControl[caching] }
  response.writeHead(200, { ...securityHeaders(new URL(apiUrl).origin), ...headers }).end(body)
})
let url = ''
beforeAll(async () => {
  url = `http://127.0.0.1:${await listen(server, 0)}/`
})
afterAll(async () => {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
})

describeInBrowser('The page on another host than the API', () => {
  test('says where to get a key, and sends and shows the same as on the host of the API', async () => {
    const page = await openReference({ url })
    expect(await page.locator('#get-a-key').innerText()).toContain('contact the operator of this API')
    expect(await page.getByText('Staging environment').count()).toBe(1)
    await authorize(page, inject('demoKeys')[1] ?? '')

    const create = await openOperation(page, 'pets', 'createPet')
    await create.getByLabel('Idempotency-Key').fill('from another host')
    await execute(create, 201)
    expect(await (await execute(create, 201)).innerText()).toContain('"name": "Bella"')
    await create.getByText('idempotency-replayed: true').waitFor()

    const list = await openOperation(page, 'pets', 'listPets')
    const shown = await (await execute(list, 200)).innerText()
    for (const header of ['link: <', 'x-ratelimit-remaining: ', 'ratelimit: ']) expect(shown).toContain(header)
  })

  test('works by the other name of this machine too', async () => {
    const page = await openReference({ url: inject('referenceUrl').replace('127.0.0.1', 'localhost') })
    await page.getByRole('button', { name: 'Use the demo key of the pro plan' }).click()
    await execute(await openOperation(page, 'pets', 'listPets'), 200)
  })
})
