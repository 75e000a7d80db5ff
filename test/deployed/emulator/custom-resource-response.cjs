/**
 * Sends the outcome of a custom resource to the emulator. emulated-app.ts adds this file at the beginning of CDK's
 * function that empties a bucket.
 *
 * Everything else in that function runs as CDK has written it. Differences from AWS:
 *
 * - CloudFormation receives outcomes by HTTPS at its standard port. The emulator receives them by HTTP at its own port.
 * - Lambda has the AWS SDK for JavaScript. On the emulator it is the one of this project.
 */
const http = require('node:http')
const https = require('node:https')

https.request = (options, onResponse) => {
  const { port } = new URL(process.env.AWS_ENDPOINT_URL)
  return http.request({ ...options, port }, onResponse)
}
