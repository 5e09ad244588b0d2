;;; client.el --- a turn with acp.el: AGENT and FOLDER are variables  -*- lexical-binding: t -*-
(require 'acp)
(let* ((folder (getenv "FOLDER"))
       (client (acp-make-client :context-buffer (current-buffer) :command (getenv "AGENT") :command-params '("acp")
                                :environment-variables (list (concat "HOME=" (getenv "HOME")))))
       (text ""))
  (acp-subscribe-to-notifications
   :client client
   :on-notification (lambda (notification)
                      (let-alist notification
                        (when (equal .params.update.sessionUpdate "agent_message_chunk")
                          (setq text (concat text .params.update.content.text))))))
  (acp-subscribe-to-requests
   :client client
   :on-request (lambda (request)
                 (let-alist request
                   (acp-send-response
                    :client client
                    :response (acp-make-session-request-permission-response :request-id .id :option-id "allow")))))
  (acp-send-request :client client :sync t :request (acp-make-initialize-request :protocol-version 1))
  (let* ((session (acp-send-request :client client :sync t :request (acp-make-session-new-request :cwd folder :mcp-servers [])))
         (end (acp-send-request :client client :sync t
                                :request (acp-make-session-prompt-request :session-id (map-elt session 'sessionId)
                                                                          :prompt [((type . "text") (text . "go"))]))))
    (princ (format "%s %s\n" (map-elt end 'stopReason) text)))
  (acp-shutdown :client client))
