import { expect, test } from 'vitest'
import { checkRoutes, type Route } from '../../../../infra/contract/check-routes.ts'
import type { ContractContent, Operation } from '../../../../infra/contract/openapi.ts'

const json: { readonly 'application/json': ContractContent } = { 'application/json': { schema: {} } }

/** The response 403, with the example of a key that may only read. */
const forbidden = {
  description: 'Refused.',
  content: { 'application/json': { schema: {}, examples: { insufficient_scope: { value: {} } } } },
}

const failed = { description: 'Failed.', content: json }

/** Responses that every operation must have: API Gateway, the authorizer or the handler of each can send them. */
const commonResponses = {
  400: failed,
  401: failed,
  403: forbidden,
  413: failed,
  429: failed,
  500: failed,
  503: failed,
  504: failed,
}

/** Creates a route that can be served without a change. */
const createRoute = (path: string, change: Partial<Operation> = {}, method = 'GET'): Route => ({
  path,
  method,
  operation: {
    operationId: 'getPet',
    summary: 'A pet',
    description: 'A pet.',
    responses: { 200: { description: 'The pet.', content: json }, ...commonResponses },
    ...change,
  },
})

test('parameters with the same name in the same place, and a success without a body, are accepted', () => {
  const responses = {
    ...commonResponses,
    204: { description: 'Removed.' },
    404: { description: 'No pet.', content: json },
  }
  const routes = [
    createRoute('/pets/{petId}', { responses }, 'DELETE'),
    createRoute('/pets/{petId}/photos/{photoId}'),
    createRoute('/stores/{storeId}'),
  ]

  expect(() => checkRoutes(routes)).not.toThrow()
})

test.each([
  { path: '/pets/', problem: '/pets/: each part of a path must be' },
  { path: '/pets/{pet-id}', problem: '/pets/{pet-id}: each part of a path must be' },
])('the path $path is refused', ({ path, problem }) => {
  expect(() => checkRoutes([createRoute(path)])).toThrow(problem)
})

test('parameters of different names in one place are refused', () => {
  const routes = [createRoute('/pets/{petId}'), createRoute('/pets/{id}/photos')]

  expect(() => checkRoutes(routes)).toThrow(
    '/pets/{id}/photos: API Gateway allows one parameter after /pets/, and {petId} is there already.',
  )
})

test.each(['delete', 'routes', 'get-pet', 'GetPet', 'unknownRoute'])('the operationId %s is refused', (operationId) => {
  expect(() => checkRoutes([createRoute('/pets', { operationId })])).toThrow(
    'GET /pets: the operationId must be a verb and a noun in camel case, such as getPet.',
  )
})

test.each([
  { status: 'default', content: json, problem: 'the status default is not served' },
  { status: '302', content: json, problem: 'the status 302 is not served' },
  { status: '204', content: json, problem: 'the response 204 must have no content' },
])('a response of the status $status with a body is refused', ({ status, content, problem }) => {
  const responses = { [status]: { description: 'A response.', content } }

  expect(() => checkRoutes([createRoute('/pets', { responses })])).toThrow(`GET /pets: ${problem}`)
})

test.each(['200', '404'])('a response of the status %s without a body is refused', (status) => {
  const responses = { [status]: { description: 'A response.' } }

  expect(() => checkRoutes([createRoute('/pets', { responses })])).toThrow(
    `GET /pets: the response ${status} needs a content, or the status 204.`,
  )
})

test.each(Object.keys(commonResponses))('an operation without the response %s is refused', (status) => {
  const { [status]: _missing, ...responses } = createRoute('/pets').operation.responses

  expect(() => checkRoutes([createRoute('/pets', { responses })])).toThrow(
    `GET /pets: it needs the responses ${status}, as every operation.`,
  )
})

test.each(['GET', 'DELETE'])('a body of %s is refused', (method) => {
  const requestBody = { description: 'A pet.', required: true, content: json }
  const responses = { 403: forbidden, 415: { description: 'Not JSON.', content: json } }

  expect(() => checkRoutes([createRoute('/pets', { requestBody, responses }, method)])).toThrow(
    `${method} /pets: browsers and gateways send no body with it.`,
  )
})

test('an operation with a body and without the response 415 is refused', () => {
  const requestBody = { description: 'A pet.', required: true, content: json }

  expect(() => checkRoutes([createRoute('/pets', { requestBody, responses: { 403: forbidden } }, 'PUT')])).toThrow(
    'PUT /pets: it needs the response 415, for a body that is not JSON.',
  )
})

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
  'a response 403 of %s without the example insufficient_scope is refused',
  (method) => {
    const responses = { 403: { description: 'Refused.', content: json } }

    expect(() => checkRoutes([createRoute('/pets', { responses }, method)])).toThrow(
      `${method} /pets: its response 403 must have the example insufficient_scope.`,
    )
  },
)
