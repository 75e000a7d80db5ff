/**
 * The runtime in the container: what Lambda's own `nodejs24.x` does of the Runtime API (AWS Lambda Developer Guide,
 * "Using the Lambda runtime API for custom runtimes"). It asks for an event, invokes the handler, and posts the result.
 */
const { AWS_LAMBDA_RUNTIME_API = '', _HANDLER = '' } = process.env
const [file = '', name = ''] = _HANDLER.split('.')
const invocations = `http://${AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`
const { [name]: handler } = await import(`/var/task/${file}.js`)

const post = (url: string, body: unknown) => fetch(url, { method: 'POST', body: JSON.stringify(body) })

for (;;) {
  const next = await fetch(`${invocations}/next`)
  const awsRequestId = next.headers.get('lambda-runtime-aws-request-id') ?? ''
  const deadline = Number(next.headers.get('lambda-runtime-deadline-ms'))
  const context = { awsRequestId, getRemainingTimeInMillis: () => deadline - Date.now() }
  try {
    await post(`${invocations}/${awsRequestId}/response`, await handler(await next.json(), context))
  } catch (error) {
    const { name: errorType, message: errorMessage } = error instanceof Error ? error : new Error(String(error))
    await post(`${invocations}/${awsRequestId}/error`, { errorType, errorMessage, trace: [] })
  }
}
