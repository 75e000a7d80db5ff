import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiResponse } from './api-response.ts'
import { ResponseRules } from './response-rules.ts'
import { TestHistory } from './test-history.ts'

let history: TestHistory
beforeEach(() => {
  history = new TestHistory()
})

describe('every response is one of the contract', () => {
  const invariant = 'every response is one of the contract'
  const request = { httpMethod: 'GET', rawPath: '/v1/pets' }

  const headers = {
    'Access-Control-Allow-Origin': '*',
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '41',
    'X-RateLimit-Reset': '1793620860',
    'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
  }

  /** Creates the response with an empty list. */
  const createList = (more: Readonly<Record<string, string>>): ApiResponse => ({
    status: 200,
    headers: Object.entries({
      RateLimit: '"minute";r=41;t=44, "day";r=900;t=43190',
      'content-type': 'application/json',
      ...more,
    }),
    body: '[]',
  })

  const check = (response: ApiResponse, isReleased = true): readonly string[] => {
    new ResponseRules(history, () => isReleased).check(request, response)
    return history.listBroken()
  }

  it('is broken by a status that the operation does not have', () => {
    expect(check({ ...createList(headers), status: 201 })).toEqual([invariant])
  })

  it('is broken by a header that is missing', () => {
    expect(check(createList({}))).toEqual([invariant])
  })

  it('is broken by a field that the contract does not have', () => {
    expect(
      check({
        ...createList(headers),
        body: '[{"id":1,"name":"Bello","categoryId":2,"status":"available","unknownField":3}]',
      }),
    ).toEqual([invariant])
  })

  it('is broken by a code with another status, also during the release', () => {
    const body = JSON.stringify({ code: 'api_key_banned', message: 'Banned.', status: 400 })

    expect(check({ ...createList(headers), status: 400, body }, false)).toEqual([invariant])
  })

  it('holds for a response of the contract', () => {
    expect(check(createList(headers))).toEqual([])
  })

  it('holds during the release for a header that is missing', () => {
    expect(check(createList({}), false)).toEqual([])
  })
})
