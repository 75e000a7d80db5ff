import type { Page, Route } from 'playwright-core'
import { expect, inject } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { chooseDemoKey, readPart, sendForStatus, sendForText, test } from './browser.ts'
import { hasCurl, runCurl } from './clients/programs.ts'

const largestInt64 = '9223372036854775807'
const testWithCurl = hasCurl() ? test : test.skip

test('a panel without an API key shows the response 401', async ({ page }) => {
  const result = await sendForStatus(page.locator('#listPets'), 401)

  expect(await readPart(result, 'body')).toContain('"code": "unauthorized"')
})

test('an error in a panel links its code, and has the ids for a report', async ({ page }) => {
  const result = await sendForStatus(page.locator('#listPets'), 401)

  const report = result.locator('[data-part="report"]')
  expect(await report.getByRole('link', { name: 'unauthorized' }).getAttribute('href')).toBe('#error-unauthorized')
  const [, requestId] = /^x-amzn-requestid: (.+)$/m.exec(await readPart(result, 'headers')) ?? []
  expect(await report.innerText()).toContain(requestId)
})

test('a panel sends the parameters that are filled in', async ({ page }) => {
  const panel = page.locator('#listPets')
  await chooseDemoKey(page, 'pro')
  await panel.getByLabel('limit').fill('2')
  await panel.getByLabel('status').selectOption('pending')
  const sentRequest = page.waitForRequest(/\/pets/)

  const result = await sendForStatus(panel, 200)

  expect((await sentRequest).url()).toBe(`${inject('reference').apiUrl}/pets?limit=2&status=pending`)
  const body = await readPart(result, 'body')
  expect(body.match(/"status": "pending"/g)).toHaveLength(2)
})

test('a panel sends one request, though its button is pressed again before the response', async ({ page }) => {
  const panel = page.locator('#listPets')
  await chooseDemoKey(page, 'pro')
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

test('a panel follows no redirect', async ({ page }) => {
  const panel = page.locator('#listPets')
  await chooseDemoKey(page, 'pro')
  const headers = { Location: `${inject('reference').apiUrl}/pets/1` }
  await page.route(/\/pets$/, (route) => route.fulfill({ status: 307, headers }))

  const result = await sendForText(panel, 'No response came')

  expect(await result.locator('[data-part="received"]').isHidden()).toBe(true)
})

test('a panel sends the chosen demo key, and shows the limit headers and the link of the response', async ({
  page,
}) => {
  await chooseDemoKey(page, 'pro')
  expect(await page.locator('#key-in-use').textContent()).toContain('the demo key of the pro plan')
  await page.locator('#listPets').getByLabel('limit').fill('2')

  const result = await sendForStatus(page.locator('#listPets'), 200)

  const headers = await readPart(result, 'headers')
  expect(headers).toContain('x-ratelimit-limit: 300')
  expect(headers).toContain('\nx-ratelimit-remaining: ')
  expect(headers).toContain('\nx-ratelimit-reset: ')
  expect(headers).toContain('\nratelimit-policy: ')
  expect(headers).toContain('\nratelimit: ')
  expect(headers).toContain('\nlink: ')
})

/** Sets the variable from which the curl command of a panel reads the API key. */
const withKey = (command: string): string => `PET_API_KEY=${inject('reference').demoKeys.pro}; ${command}`

test('a panel shows the API key in no part of a result', async ({ page }) => {
  await chooseDemoKey(page, 'pro')

  const result = await sendForStatus(page.locator('#listPets'), 200)

  expect(await result.textContent()).not.toContain(inject('reference').demoKeys.pro)
  expect(await readPart(result, 'curl')).toContain('"Authorization: Bearer $PET_API_KEY"')
})

testWithCurl('the curl command of a panel gets the same response', async ({ page }) => {
  const panel = page.locator('#listPets')
  await chooseDemoKey(page, 'pro')
  await panel.getByLabel('limit').fill('2')
  await panel.getByLabel('status').selectOption('pending')
  const result = await sendForStatus(panel, 200)

  const command = await readPart(result, 'curl')
  const body = await runCurl(withKey(command.replace('curl -i', 'curl -sS')))

  expect(JSON.parse(body)).toEqual(JSON.parse(await readPart(result, 'body')))
})

test('the page forgets the API key when it is reloaded', async ({ page }) => {
  await chooseDemoKey(page, 'pro')
  await sendForStatus(page.locator('#listPets'), 200)
  expect(await page.context().storageState()).toEqual({ cookies: [], origins: [] })

  await page.reload()

  expect(await page.getByLabel('Your API key').inputValue()).toBe('')
})

test('a panel keeps every digit of an int64', async ({ page }) => {
  await chooseDemoKey(page, 'pro')
  const panel = page.locator('#createPet')
  const body = `{"name":"Bella","categoryId":${largestInt64}}`
  await panel.getByLabel('Request body').fill(body)
  const sentRequest = page.waitForRequest((request) => request.method() === 'POST')

  const result = await sendForStatus(panel, 201)

  expect((await sentRequest).postData()).toBe(body)
  expect(await readPart(result, 'body')).toContain(`"categoryId": ${largestInt64},`)
})

test('a panel shows markup in a response as text', async ({ page }) => {
  await chooseDemoKey(page, 'pro')
  const panel = page.locator('#createPet')
  await panel.getByLabel('Request body').fill(`{"name":"It's <img src=x onerror=alert(1)>","categoryId":1}`)

  const result = await sendForStatus(panel, 201)

  expect(await readPart(result, 'body')).toContain('<img src=x onerror=alert(1)>')
  expect(await page.locator('main img').count()).toBe(0)
})

testWithCurl('the curl command of a creation repeats the creation exactly', async ({ page }) => {
  await chooseDemoKey(page, 'pro')
  const panel = page.locator('#createPet')
  await panel
    .getByLabel('Request body')
    .fill(`{"name":"It's <img src=x onerror=alert(1)>","categoryId":${largestInt64}}`)
  await panel.getByLabel('Idempotency-Key').fill('from the page')
  const result = await sendForStatus(panel, 201)

  const response = await runCurl(withKey(await readPart(result, 'curl')))

  expect(response).toContain('Idempotency-Replayed: true')
  expect(response).toContain(`"categoryId":${largestInt64}`)
})

/** Collects the URLs of requests to the API. */
const collectApiUrls = (page: Page): readonly string[] => {
  const urls: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/v1/')) urls.push(request.url())
  })
  return urls
}

test('a panel sends nothing while a required parameter is missing', async ({ page }) => {
  const apiUrls = collectApiUrls(page)
  const panel = page.locator('#getPet')

  await panel.getByRole('button', { name: 'Send' }).click()

  expect(await page.evaluate('document.activeElement.matches("#getPet :invalid")')).toBe(true)
  expect(apiUrls).toEqual([])
})

test('the error of the API about a wrong value stands beside the form', async ({ page }) => {
  await chooseDemoKey(page, 'enterprise')
  const panel = page.locator('#createPet')
  await panel.getByLabel('Request body').fill('{"name":" ","categoryId":1}')

  const result = await sendForStatus(panel, 400)

  const { message } = JSON.parse(await readPart(result, 'body'))
  expect(await result.locator('[data-part="report"]').innerText()).toContain(`invalid_body: ${message}`)
})

const listRoute = '**/v1/pets'

test('a panel says that the connection was lost, and shows the next response', async ({ page }) => {
  const panel = page.locator('#listPets')
  await page.route(listRoute, (route) => route.abort('connectionreset'))

  const result = await sendForText(panel, 'No response came: ')

  expect(await readPart(result, 'curl')).toContain('curl -i ')
  expect(await result.locator('[data-part="received"]').isVisible()).toBe(false)

  await page.unroute(listRoute)
  const nextResult = await sendForStatus(panel, 401)

  expect(await readPart(nextResult, 'body')).toContain('unauthorized')
})

test('a panel says that a body is not JSON', async ({ page }) => {
  await page.route(listRoute, (route) => route.fulfill({ status: 502, body: '<b>Bad gateway</b>' }))

  const result = await sendForText(page.locator('#listPets'), 'The body is not JSON: something')

  expect(await readPart(result, 'curl')).toContain('curl -i ')
  expect(await result.locator('[data-part="received"]').isVisible()).toBe(true)
})

test('a panel says that a response has no body', async ({ page }) => {
  await page.route(listRoute, (route) => route.fulfill({ status: 200, body: '' }))

  const result = await sendForText(page.locator('#listPets'), 'The response has no body.')

  expect(await readPart(result, 'curl')).toContain('curl -i ')
  expect(await result.locator('[data-part="received"]').isVisible()).toBe(true)
})

/** Ends the time limit of 30 seconds at once, and makes every other time limit endless. */
const shortenTimeout = `const { timeout } = AbortSignal
AbortSignal.timeout = (milliseconds) => timeout.call(AbortSignal, milliseconds === 30000 ? 0 : 1e9)`

test('a panel says that no response came within 30 seconds', async ({ open }) => {
  const page = await open({ prepare: (newPage) => newPage.addInitScript(shortenTimeout) })
  const leaveUnanswered = (_route: Route): void => {}
  await page.route(listRoute, leaveUnanswered)

  const result = await sendForText(page.locator('#listPets'), 'No response came within 30 seconds.')

  expect(await readPart(result, 'curl')).toContain('curl -i ')
  expect(await result.locator('[data-part="received"]').isVisible()).toBe(false)
})

test('a panel says that a header has a character that browsers do not send', async ({ page }) => {
  const panel = page.locator('#createPet')
  await panel.getByLabel('Idempotency-Key').fill('犬')

  await sendForText(panel, /^No response came: .*ISO-8859-1/)
})

test('without JavaScript every panel is disabled, and each operation says what is special', async ({ open }) => {
  const page = await open({ javaScriptEnabled: false })

  expect(await page.locator('main').innerText()).toContain('The panels need JavaScript.')
  expect(await page.locator('.panel fieldset[disabled]').count()).toBe(readContract().operations.length)
  expect(await page.locator('#listStoreOrders').innerText()).toMatch(
    /Reserved\..*This panel is off, because the operation is reserved\./s,
  )
  expect(await page.locator('#getPet').innerText()).toContain('removed on 5 December 2030')
})

test('folded responses have their examples and headers without JavaScript', async ({ open }) => {
  const page = await open({ javaScriptEnabled: false })
  const response = page.locator('#getPet details[data-status="404"]')
  const examples = response.locator('pre')
  expect(await examples.first().isVisible()).toBe(false)

  await response.locator('summary').click()

  const [first = '', second = '', ...others] = await examples.allInnerTexts()
  expect(JSON.parse(first).code).toBe('pet_not_found')
  expect(JSON.parse(second).code).toBe('operation_removed')
  expect(others).toEqual([])
  expect(await response.locator('dt').allInnerTexts()).toEqual(['Deprecation', 'Sunset', 'Link'])

  expect(await page.locator('#createPet-body-fields').innerText()).toContain('categoryId')
})
