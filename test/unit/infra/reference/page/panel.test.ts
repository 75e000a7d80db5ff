import { createServer } from 'node:http'
import type { Locator, Page } from 'playwright-core'
import { expect, onTestFinished, vi } from 'vitest'
import { defaults } from '../../../../../infra/environments.ts'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { buildSecurityHeaders } from '../../../../../infra/reference/security-headers.ts'
import { buildSite } from '../../../../../infra/reference/site.ts'
import { hasCurl, runCurl } from '../../../../fixtures/machine/programs.ts'
import { readProvided } from '../../../../fixtures/machine/provided.ts'
import { chooseDemoKey, sendForStatus, sendForText, test } from '../../../../fixtures/reference/browser.ts'

const { apiUrl, demoKeys, url } = readProvided('reference')
const largestInt64 = '9223372036854775807'

const readPart = (result: Locator, part: 'headers' | 'body' | 'curl'): Promise<string> =>
  result.locator(`[data-part="${part}"]`).innerText()

test('the first Send succeeds with the demo key that the code beside it shows', async ({ page }) => {
  const sentRequest = page.waitForRequest(/\/pets/)

  await sendForStatus(page.locator('#listPets'), 200)

  const { authorization } = (await sentRequest).headers()
  const codes = await page.locator('#listPets [data-language] pre').allTextContents()
  expect(codes).toHaveLength(3)
  for (const code of codes) expect(code).toContain(authorization)
})

test('without an API key a panel shows the error, with a link to its code and the ids for a report', async ({
  page,
}) => {
  // A screen reader says only what changes in a live region that was there before.
  expect(await page.locator('#listPets').getByRole('status').innerText()).toBe('')
  expect(await page.locator('#announcement').getAttribute('role')).toBe('status')
  await page.getByLabel('Your API key').fill('')

  const result = await sendForStatus(page.locator('#listPets'), 401)

  const { message } = JSON.parse(await readPart(result, 'body'))
  const report = result.locator('[data-part="report"]')
  expect(await report.innerText()).toContain(`unauthorized: ${message}`)
  expect(await report.getByRole('link', { name: 'unauthorized' }).getAttribute('href')).toBe('#error-unauthorized')
  const [, requestId] = /^x-amzn-requestid: (.+)$/m.exec(await readPart(result, 'headers')) ?? []
  expect(await report.innerText()).toContain(requestId)
})

test('a panel sends the chosen demo key and parameters, and neither shows the key nor keeps it', async ({ page }) => {
  const panel = page.locator('#listPets')
  await chooseDemoKey(page, 'Pro')
  await panel.getByLabel('limit').fill('2')
  await panel.getByLabel('status').selectOption('available')
  const sentRequest = page.waitForRequest(/\/pets/)

  const result = await sendForStatus(panel, 200)

  expect((await sentRequest).url()).toBe(`${apiUrl}/pets?limit=2&status=available`)
  const body = await readPart(result, 'body')
  expect(body.match(/"status": "available"/g)).toHaveLength(2)
  // Each header begins a line. The plan Pro has 300 requests a minute.
  const headers = await readPart(result, 'headers')
  for (const name of ['x-ratelimit-limit: 300', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit', 'link']) {
    expect(`\n${headers}`).toContain(`\n${name}`)
  }
  expect(await readPart(result, 'curl')).toContain(`curl -i '${apiUrl}/pets?limit=2&status=available'`)
  expect(await result.textContent()).not.toContain(demoKeys.pro)
  expect(await page.context().storageState()).toEqual({ cookies: [], origins: [] })
  await page.reload()
  expect(await page.getByLabel('Your API key').inputValue()).toBe(demoKeys.free)
})

test('a panel creates a pet with every digit of an int64, shows markup as text, and its curl command repeats it', async ({
  page,
}) => {
  await chooseDemoKey(page, 'Pro')
  const panel = page.locator('#createPet')
  const requestBody = `{"name":"It's <img src=x onerror=alert(1)>","categoryId":${largestInt64}}`
  await panel.getByLabel('Request body').fill(requestBody)
  await panel.getByLabel('Idempotency-Key').fill('from the page')
  const sentRequest = page.waitForRequest((request) => request.method() === 'POST')

  const result = await sendForStatus(panel, 201)

  expect((await sentRequest).postData()).toBe(requestBody)
  const body = await readPart(result, 'body')
  expect(body).toContain(`"categoryId": ${largestInt64},`)
  expect(body).toContain('<img src=x onerror=alert(1)>')
  expect(await page.locator('main img').count()).toBe(0)
  const curl = await readPart(result, 'curl')
  expect(curl).toContain('"Authorization: Bearer $PET_API_KEY"')
  if (!hasCurl()) return
  const repeated = await runCurl(`PET_API_KEY=${demoKeys.pro}; ${curl}`)
  expect(repeated).toContain('Idempotency-Replayed: true')
  expect(repeated).toContain(`"categoryId":${largestInt64}`)
})

test('a panel sends one request, though its button is pressed again before the response', async ({ page }) => {
  const panel = page.locator('#listPets')
  let requests = 0
  const responses = Promise.withResolvers<void>()
  await page.route(/\/pets/, async (route) => {
    requests += 1
    await responses.promise
    await route.continue()
  })
  const button = panel.getByRole('button', { name: /^Send/ })
  await button.click()
  await button.click()

  responses.resolve()
  await panel.getByRole('status').filter({ hasText: /^200 / }).waitFor()

  expect(requests).toBe(1)
})

// `fetch` refuses such a header with an error that names neither the field nor the character.
test('a panel names a character that a header cannot have, and sends nothing', async ({ page }) => {
  const respond = vi.fn()
  await page.route(`${apiUrl}/**`, respond)
  const panel = page.locator('#createPet')

  await panel.getByLabel('Idempotency-Key').fill('clé')
  await sendForText(panel, 'The header Idempotency-Key has a character that it cannot have: é (U+00E9).')
  await page.getByLabel('Your API key').fill('“pet_test_”')
  await sendForText(panel, 'The API key has a character that it cannot have: “ (U+201C).')

  expect(respond).not.toHaveBeenCalled()
})

/** Ends the time limit of 30 seconds at once, and makes every other time limit endless. */
const shortenTimeout = `(() => {
  const { timeout } = AbortSignal
  AbortSignal.timeout = (milliseconds) => timeout.call(AbortSignal, milliseconds === 30000 ? 0 : 1e9)
})()`

test('a panel says why it has no response, or what is wrong with it, and then shows the next one', async ({ page }) => {
  const panel = page.locator('#listPets')
  // The connection is reset where `respond` is undefined.
  const outcomes = [
    {
      respond: { status: 307, headers: { Location: `${apiUrl}/pets/1` } },
      text: 'No response came: ',
      isReceived: false,
    },
    { respond: undefined, text: 'No response came: ', isReceived: false },
    { respond: { status: 502, body: '<b>Bad gateway</b>' }, text: 'The body is not JSON: something', isReceived: true },
    { respond: { status: 200, body: '' }, text: 'The response has no body.', isReceived: true },
  ]
  for (const { respond, text, isReceived } of outcomes) {
    await page.route('**/v1/pets', (route) =>
      respond === undefined ? route.abort('connectionreset') : route.fulfill(respond),
    )

    const result = await sendForText(panel, text)

    expect(await result.locator('[data-part="received"]').isVisible(), text).toBe(isReceived)
    expect(await readPart(result, 'curl')).toContain('curl -i ')
    await page.unroute('**/v1/pets')
  }
  const nextResult = await sendForStatus(panel, 200)
  expect(await readPart(nextResult, 'body')).toContain('"categoryId"')

  await page.evaluate(shortenTimeout)
  // A route that does nothing leaves a request without a response.
  await page.route('**/v1/pets', () => {})
  await sendForText(panel, 'No response came within 30 seconds.')
})

test('code has the demo key that the reader has chosen and the address of the site, also when it is copied', async ({
  page,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await chooseDemoKey(page, 'Business')
  expect(await page.locator('#key-in-use').textContent()).toBe('This page uses the demo key of the plan Business.')
  for (const code of await page.locator('#listPets [data-language] pre').allTextContents()) {
    expect(code).toContain(demoKeys.business)
  }
  expect(new Set(await page.locator('.site-url').allTextContents())).toEqual(new Set([new URL(url).origin]))

  await page.locator('#get-a-key').getByRole('button', { name: 'Copy' }).first().click()
  await page.getByRole('button', { name: 'Copied the header' }).waitFor()

  expect(await page.locator('#announcement').innerText()).toBe('Copied: the header')
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`Authorization: Bearer ${demoKeys.business}`)
})

test('the navigation marks the section at the top of the window, and a link to a response unfolds it', async ({
  page,
}) => {
  await page.locator('nav').getByRole('link', { name: 'Retry' }).click()

  await expect.poll(() => page.locator('nav [aria-current="true"]').allInnerTexts()).toEqual(['Retry'])
  const response = page.locator('details:has(> #common-429)')
  expect(await response.getAttribute('open')).toBeNull()
  await page.locator('#listPets').getByRole('link', { name: '429' }).click()
  await expect.poll(() => response.getAttribute('open')).toBe('')
})

test('without JavaScript the page says that panels need it, and unfolds code and responses', async ({ open }) => {
  const page = await open({ javaScriptEnabled: false })
  const operation = page.locator('#getPet')
  const response = operation.locator('details[data-status="404"]')
  expect(await page.locator('main').innerText()).toContain('The panels need JavaScript.')
  expect(await page.locator('.panel fieldset:not([disabled])').count()).toBe(0)
  expect(await operation.locator('[data-language] pre:visible').count()).toBe(1)
  expect(await response.locator('pre').first().isVisible()).toBe(false)

  await operation.locator('summary', { hasText: 'Python' }).click()
  await response.locator('summary').click()

  expect(await operation.locator('[data-language] pre:visible').count()).toBe(1)
  expect(await operation.locator('[data-language="Python"] pre').isVisible()).toBe(true)
  expect(await response.locator('pre').first().isVisible()).toBe(true)
})

/** Serves the site on a port of its own: the API has another origin then, as on AWS. */
const openOnOtherOrigin = async (page: Page): Promise<void> => {
  const site = buildSite({ baseUrl: apiUrl, environment: 'staging', banPolicy: defaults.staging.banPolicy })
  const files = new Map(site.map((file) => [file.path, file]))
  const securityHeaders = buildSecurityHeaders(new URL(apiUrl).origin)
  const server = createServer(({ url: path = '/' }, response) => {
    const file = files.get(path === '/' ? 'index.html' : path.slice(1))
    const contentType = file?.contentType ?? 'text/plain'
    response.writeHead(file === undefined ? 404 : 200, { ...securityHeaders, 'Content-Type': contentType })
    response.end(file?.body)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await page.goto(`http://127.0.0.1:${await listen(server, 0)}/`)
}

test('a page of another origin than the API creates a pet once, and shows all headers', async ({ page }) => {
  await openOnOtherOrigin(page)
  await page.getByLabel('Your API key').fill(demoKeys.pro)
  const panel = page.locator('#createPet')
  await panel.getByLabel('Idempotency-Key').fill('from another origin')
  await sendForStatus(panel, 201)

  await sendForStatus(panel, 201)
  const listResult = await sendForStatus(page.locator('#listPets'), 200)

  await expect.poll(() => readPart(panel.locator('.result'), 'headers')).toContain('idempotency-replayed: true')
  const headers = await readPart(listResult, 'headers')
  for (const name of ['link', 'x-ratelimit-remaining', 'ratelimit']) expect(`\n${headers}`).toContain(`\n${name}: `)
})
